import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0040_recorded_releases")]

    operations = [
        migrations.CreateModel(
            name="Reproduction",
            fields=[
                (
                    "result",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="reproduction",
                        serialize=False,
                        to="registry.result",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("repeated", "repeated"),
                            ("reproduced", "reproduced"),
                            ("replicated", "replicated"),
                            ("unknown", "unknown"),
                        ],
                        help_text="Unknown: whether both are of independent institutions is not public.",
                        max_length=10,
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("agrees", "agrees"),
                            ("not reproduced", "not reproduced"),
                            ("cannot tell", "cannot tell"),
                        ],
                        max_length=14,
                    ),
                ),
                ("ratio", models.FloatField(help_text="New to original, of the number furthest from 1.", null=True)),
                ("low", models.FloatField(help_text="Of its interval of 95 %.", null=True)),
                ("high", models.FloatField(null=True)),
                ("why", models.CharField(blank=True, help_text="Of that number.", max_length=200)),
                ("musts", models.JSONField(default=list, help_text="Rows of the recipe that must match.")),
                (
                    "numbers",
                    models.JSONField(default=list, help_text="Each number compared, the furthest from 1 first."),
                ),
                ("differences", models.JSONField(default=list, help_text="What else differs, in groups.")),
                (
                    "judged_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "original",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reproductions", to="registry.result"
                    ),
                ),
            ],
            options={
                "ordering": ["result"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("result", models.F("original")), _negated=True),
                        name="result_reproduces_another",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["repeated", "reproduced", "replicated", "unknown"])),
                        name="reproduction_has_a_kind",
                    ),
                ],
            },
        ),
    ]
