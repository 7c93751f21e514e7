"""The Celery application: tasks carry ids only, are acknowledged after they ran, and may run twice."""

import os

from celery import Celery
from kombu import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")

app = Celery("highwater")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

_HURRIED = {
    **{"socket_timeout": 0.4, "socket_connect_timeout": 0.4},
    # Kombu's own patience is 6 s by default.
    **{"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0},
}


def hurried_connection() -> Connection:
    """To the broker, with little patience, for somebody who waits; equal ones share a pool."""
    return app.connection_for_write(transport_options={**app.conf.broker_transport_options, **_HURRIED})
