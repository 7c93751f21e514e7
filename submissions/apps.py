from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"
    verbose_name = "Submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from registry.log.recording import HOLDERS
        from registry.site_pages.metrics import SOURCES
        from submissions.lifecycle.private_records import hold_private
        from submissions.operations.metrics import failure_metrics, submission_metrics

        HOLDERS.append(hold_private)
        SOURCES["submissions.figures.submissions"] = submission_metrics
        SOURCES["submissions.figures.failures"] = failure_metrics
