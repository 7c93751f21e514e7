from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"
    verbose_name = "Submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Add the figures of submissions to /metrics, and note damage wherever bytes are read."""
        from registry.log.recording import HOLDERS, WITHHELD_RECORDERS
        from registry.query.stored_bytes import damage_met
        from registry.site_pages.metrics import SOURCES
        from submissions.damage.scrub import report_damage
        from submissions.lifecycle.private_records import record_private, record_withheld
        from submissions.operations.metrics import (
            cage_metrics,
            delivery_metrics,
            failure_metrics,
            maintenance_metrics,
            space_metrics,
            storage_metrics,
            submission_metrics,
        )

        damage_met.connect(report_damage)
        HOLDERS.append(record_private)
        WITHHELD_RECORDERS.append(record_withheld)
        SOURCES["submissions.figures.submissions"] = submission_metrics
        SOURCES["submissions.figures.storage"] = storage_metrics
        SOURCES["submissions.figures.failures"] = failure_metrics
        SOURCES["submissions.figures.cage"] = cage_metrics
        SOURCES["submissions.figures.deliveries"] = delivery_metrics
        SOURCES["submissions.figures.maintenance"] = maintenance_metrics
        SOURCES["submissions.figures.space"] = space_metrics
