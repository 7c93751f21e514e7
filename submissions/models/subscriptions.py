"""Which systems an account follows."""

from __future__ import annotations

from django.db import models

from registry.models import System
from submissions.models.accounts import Account


class Subscription(models.Model):
    """An account wants to hear of steps in the numbers of a system, of those that are found from `since` on."""

    class Steps(models.TextChoices):
        ALL = "all", "all steps"
        WORSE = "worse", "steps for the worse"

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="following")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    steps = models.CharField(max_length=5, choices=Steps, default=Steps.ALL)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "submissions_following"
        ordering = ["system__name", "system__slug"]
        constraints = [models.UniqueConstraint(fields=["account", "system"], name="following_once")]

    def __str__(self) -> str:
        return f"{self.account} follows {self.system}"

    @property
    def current_system(self) -> System:
        """What is followed: of a system that was merged what it is now."""
        return self.system.merged_into or self.system
