"""The Celery application: tasks carry ids only, are acknowledged after they ran, and may run twice."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")

app = Celery("highwater")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
