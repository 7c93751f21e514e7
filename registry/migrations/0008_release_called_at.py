import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0007_facts"),
    ]

    operations = [
        migrations.AddField(
            model_name="release",
            name="called_at",
            field=models.DateTimeField(
                auto_now_add=True, default=django.utils.timezone.now, help_text="When it came into the record."
            ),
            preserve_default=False,
        ),
    ]
