from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0042_numbers_from_indexes")]

    operations = [
        migrations.AddField(
            model_name="reproduction",
            name="shares_members_with",
            field=models.JSONField(
                help_text="Public ids of earlier reproductions of the same original by institutions that had, or may have had, a member in common with this one. Null: it was not asked.",
                null=True,
            ),
        ),
    ]
