"""What each run on a shelf measured, by which it keeps its place among the runs of one file."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0047_shelf_system_once")]

    operations = [
        migrations.AddField(
            model_name="shelfrun",
            name="run_digest",
            field=models.CharField(
                db_default="", help_text="Of what it measured; empty: nothing, or not known.", max_length=64
            ),
        ),
    ]
