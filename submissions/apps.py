from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"
    verbose_name = "Submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from registry.site_pages.metrics import SOURCES
        from submissions.operations.metrics import cage_metrics, failure_metrics, submission_metrics

        SOURCES["submissions.figures.submissions"] = submission_metrics
        SOURCES["submissions.figures.failures"] = failure_metrics
        SOURCES["submissions.figures.cage"] = cage_metrics
