"""The log also has what public rows have that no public record has; no statement is run."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0048_shelf_run_digest")]

    operations = [
        migrations.AlterField(
            model_name="privaterecord",
            name="kind",
            field=models.CharField(
                choices=[
                    ("receipt", "receipt"),
                    ("event", "event"),
                    ("check", "check"),
                    ("decision", "decision"),
                    ("ranking", "decision about a list"),
                    ("naming", "deciders about names"),
                    ("sharing", "members in common"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="privaterecord",
            name="row",
            field=models.PositiveBigIntegerField(help_text="Primary key of what it is about; version of a receipt."),
        ),
    ]
