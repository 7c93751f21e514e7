"""Shelves: checked runs of institutions as rows that can be asked like results, and with whom they are shared.

Each table of rows has the columns of the table of the record that it stands beside (submissions/shelf/sources.py), so
a new column of a result is one of a shelved run too. Their numbers lie above those of the record. No row refers to a
row of the record by constraint: what the record deletes or merges is none of theirs.
"""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from registry.models import Fact, Measurement, ObservedParameter, PublicSystemSnapshot, Result, Site, System
from submissions.models.accounts import Account
from submissions.models.submissions import SHELVED, Submission

FIRST_NUMBER = 2**40
"""Ids of shelved runs and systems begin here (migration 0039): no row of the record will have them."""


def own_condition(account: Account) -> Q:
    """Places whose institution the account is a member of."""
    return Q(submission__institution__in=account.memberships.order_by().values("institution"))


class ShelfRunQuerySet(models.QuerySet["ShelfRun"]):
    """Places of runs, and which of them are on a shelf."""

    def on_shelf(self) -> ShelfRunQuerySet:
        """What is on a shelf now. A place without rows waits for its run."""
        with_rows = ShelfResult._default_manager.values("pk")
        return self.filter(pk__in=with_rows, submission__state__in=SHELVED, submission__test=False)

    def of_member(self, account: Account) -> ShelfRunQuerySet:
        """Shelved runs of the account's institutions: what its members see, group and share."""
        return self.on_shelf().filter(own_condition(account))


class ShelfRun(models.Model):
    """The place of a run on the shelf of its institution, and how its members group it.

    A submission has one where one of its runs counts, and one for each run where none does. A place without rows is
    that of a run which a later check took from the shelf.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="shelf_runs")
    run_path = models.TextField(db_default="", help_text="Where its output lies in the upload; empty: not known.")
    run_digest = models.CharField(
        max_length=64, db_default="", help_text="Of what it measured; empty: nothing, or not known."
    )
    run_key = models.UUIDField(null=True, help_text="Its id; null: that of its submission, whose run counts.")
    key = models.GeneratedField(
        expression=Coalesce("run_key", F("submission_id")), output_field=models.UUIDField(), db_persist=True
    )
    project = models.CharField(max_length=60, blank=True)
    labels = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    objects = ShelfRunQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project"], condition=~Q(project=""), name="shelf_run_by_project"),
            GinIndex(fields=["labels"], name="shelf_run_by_label"),
        ]
        constraints = [models.UniqueConstraint(fields=["key"], name="shelf_run_key_once")]

    def __str__(self) -> str:
        return f"shelved {self.key}"


class ShelfShare(models.Model):
    """That an account beside the institution may see a run until a moment.

    Nobody is told whether there is an account of a name: without one the row is there and lets nobody in.
    """

    run = models.ForeignKey(ShelfRun, on_delete=models.CASCADE, related_name="shares")
    username = models.CharField(max_length=150, help_text="As it was given.")
    account = models.ForeignKey(Account, null=True, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField()
    shared_by = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL, related_name="+")
    shared_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["until", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "username"], name="shelf_share_once")]
        indexes = [models.Index(fields=["account", "until"], name="shelf_share_by_account")]

    def __str__(self) -> str:
        return f"{self.run_id} with {self.username} until {self.until:%Y-%m-%d}"


def _shelf_model(
    model: type[models.Model],
    name: str,
    unique: tuple[str, ...] = (),
    *,
    of_upload: bool = False,
    **replaced: models.Field[Any, Any],
) -> type[models.Model]:
    """A table of shelved rows with the columns of a table of the record; what refers to another row is a number.

    A field that has the column of its own accord is called `run`. Rows `of_upload` are those of all runs of their
    submission, and are stored once, with the first of these; where they name no submission, they are of their run.
    """
    fields: dict[str, Any] = {}
    if of_upload:
        fields["submission"] = models.ForeignKey(Submission, models.CASCADE, null=True, related_name="+")
    for field in model._meta.concrete_fields:
        if field.name in replaced:
            own = replaced[field.name]
            fields["run" if own.db_column == field.column else field.name] = own
        elif isinstance(field, models.ForeignKey):
            fields[field.attname] = models.BigIntegerField(null=field.null)
        elif field.primary_key:
            fields[field.name] = models.BigAutoField(primary_key=True)
        else:
            fields[field.name] = field.clone()
    constraints = [models.UniqueConstraint(fields=unique, name=f"{name.lower()}_once")] if unique else []
    options = {"db_table": f"submissions_{name.lower()}", "default_permissions": (), "constraints": constraints}
    meta = type("Meta", (), options)
    return type(name, (models.Model,), {"__module__": __name__, "__doc__": f"{name}.", "Meta": meta, **fields})


def _of_run() -> models.ForeignKey[Any, Any]:
    return models.ForeignKey("submissions.ShelfResult", on_delete=models.CASCADE, related_name="+")


ShelfSystem = _shelf_model(
    System,
    "ShelfSystem",
    ("site", "slug"),
    slug=models.SlugField(max_length=160),
    site=models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+"),
)
ShelfResult = _shelf_model(
    Result,
    "ShelfResult",
    id=models.OneToOneField(ShelfRun, models.CASCADE, primary_key=True, db_column="id", related_name="+"),
    site=models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+"),
)
ShelfMeasurement = _shelf_model(Measurement, "ShelfMeasurement", result=_of_run())
ShelfFact = _shelf_model(Fact, "ShelfFact", ("result", "name"), result=_of_run())
ShelfObservedParameter = _shelf_model(ObservedParameter, "ShelfObservedParameter", of_upload=True, result=_of_run())
ShelfSystemSnapshot = _shelf_model(PublicSystemSnapshot, "ShelfSystemSnapshot", of_upload=True, result=_of_run())
