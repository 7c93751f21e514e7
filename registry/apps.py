from django.apps import AppConfig


class RegistryConfig(AppConfig):
    name = "registry"
    verbose_name = "Public record"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from registry.monitoring import tasks
        from registry.web import answer_schemas, operator_contact  # noqa: F401  registers shapes of answers, and a check

        tasks.connect_signals()
