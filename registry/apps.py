from django.apps import AppConfig


class RegistryConfig(AppConfig):
    name = "registry"
    verbose_name = "Public record"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect what watches tasks and migrations, and note who records names in the log."""
        from django.db.models.signals import post_migrate

        from registry.database import public_writes, rights
        from registry.log import name_records, recording
        from registry.monitoring import tasks
        from registry.serving import request_role  # noqa: F401  registers a check
        from registry.web import answer_schemas, operator_contact  # noqa: F401  registers shapes of answers, and a check

        tasks.connect_signals()
        recording.HOLDERS.append(name_records.record_unrecorded_names)
        post_migrate.connect(public_writes.watch_after_migrate, sender=self)
        post_migrate.connect(rights.grant_after_migrate, sender=self)
