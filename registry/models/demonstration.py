"""Runs that only show the product, at /tour/: no row of the public record refers to one, and none is a result."""

from __future__ import annotations

from django.db import models


class DemonstrationRun(models.Model):
    """One made-up run, as our readers read its files. It counts nowhere.

    The tables of the record refuse its id and its trust, and their foreign keys lead to results only.
    """

    class Screen(models.TextChoices):
        TUNABLE = "tunable", "one tunable"
        REJECTED = "rejected", "a rejected run"
        CHANGE = "change", "a change"
        TARGETS = "targets", "slow targets"

    public_id = models.CharField(max_length=20, unique=True)
    screen = models.CharField(max_length=8, choices=Screen, help_text="Where the tour shows it first.")
    commands = models.JSONField(default=list, help_text="Lines of a shell that would make such a run.")
    tool = models.CharField(max_length=40)
    tool_version = models.CharField(max_length=80, blank=True)
    mode = models.CharField(max_length=40, blank=True)
    started = models.CharField(max_length=40, blank=True, help_text="When the files say that it began, RFC 3339.")
    client_nodes = models.PositiveIntegerField(null=True)
    tasks = models.PositiveIntegerField(null=True, help_text="Client processes in all.")
    scores = models.JSONField(default=dict, help_text="Of a run that has a score: it, GiB/s and kIOPS, by column.")
    parameters = models.JSONField(default=dict)
    measurements = models.JSONField(default=list, help_text="As Measurement has them, in their order.")
    snapshot = models.JSONField(default=dict, help_text="As that of a result: findings, rules, tests, distributions.")
    system_document = models.JSONField(null=True, help_text="The described system; null where there is none.")
    status = models.CharField(max_length=10, help_text="What the check says: valid, invalid or unreadable.")
    files = models.JSONField(default=dict, help_text="Text of each file by its path.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(public_id__regex=r"^demo-[1-9][0-9]{0,8}$"),
                name="demonstration_has_an_id_of_its_own",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
