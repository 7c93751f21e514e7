"""The web application for a WSGI server such as gunicorn."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")

application = get_wsgi_application()

from registry import database  # noqa: E402  (after Django is set up)
from registry.database import rights  # noqa: E402
from registry.serving import admission  # noqa: E402

# registry/serving/worker.py asks it before a body may come.
application.body_limit = admission.body_limit  # type: ignore[attr-defined]  # Django's class does not know it
database.limit_statements()
rights.limit_process()
database.refuse_wrong_pooler()

# Imports every view now, once for all processes of the server, and not at the first request of each.
_ = get_resolver().url_patterns
