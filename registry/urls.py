"""Addresses of the whole site: the composition root names the apps' own tables by string."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_required
from django.urls import include, path

urlpatterns = [
    path("", include("registry.page_urls")),
]

# The site's own page signs people in: it counts attempts, and admin's does not.
admin.site.login = login_required(admin.site.login)  # type: ignore[method-assign]  # as Django's manual has it

if not settings.PUBLIC_ONLY:
    # Before the public ones: where an address takes both reading and writing, the writing view extends the reading one.
    urlpatterns += [
        path("admin/", admin.site.urls),
        path("", include("submissions.urls")),
        path("api/v1/", include("submissions.api_urls")),
    ]

urlpatterns += [
    path("api/v1/", include("registry.api_urls")),
    path("", include("registry.lists.io500_site.urls")),
]

handler400 = "registry.web.error_pages.bad_request"
handler403 = "registry.web.error_pages.not_found"
handler404 = "registry.web.error_pages.not_found"
handler500 = "registry.web.error_pages.server_error"
