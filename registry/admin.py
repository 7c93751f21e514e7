"""Django's admin for administrators: the name of an institution; where its memberships choose one."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from registry.models import Result, Site


@admin.register(Site)
class SiteAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # it takes none at run time
    """Slugs are addresses and stay; published results keep the name that they were published with."""

    list_display = ["name", "slug"]
    search_fields = ["name", "slug"]
    fields = ["slug", "name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Site | None = None) -> list[str]:
        """An institution of imported lists is found again by its name when they are loaded."""
        imported = obj is not None and obj.results.filter(trust=Result.Trust.IMPORTED).exists()
        return ["slug", "name"] if imported else ["slug"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
