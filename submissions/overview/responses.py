"""The shapes of the write API: what is taken, checked field by field, and what is answered, for openapi.json."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from registry.models import Override, Result
from registry.results.responses import Change, Distribution, Problem, SystemSummary
from submissions.models import Review, Signature, State
from submissions.web.request_bodies import Choice

__all__ = ["Problem"]


class UploadRequest(s.Serializer):
    bundle = s.FileField(help_text="The archive, at most 64 MiB.")
    sha256 = s.CharField(help_text="Of the bundle, 64 hexadecimal digits.")
    release = s.CharField(required=False, help_text="Slug of the release that it is meant for.")
    lists = s.ListField(child=s.CharField(), required=False, help_text="Repeated, or separated by commas.")
    metadata = s.CharField(required=False, help_text="One JSON object, see schemas/metadata.1/.")
    test = s.BooleanField(required=False, help_text="For trying out; never submitted to a release.")
    draft = s.BooleanField(required=False, help_text="Without a file: begin a draft, whose files come later.")
    signature = s.CharField(required=False, help_text="Of the bag's manifest, as ssh-keygen -Y sign writes it.")


class CheckRequest(UploadRequest):
    sha256 = s.CharField(required=False, help_text="Of the bundle, 64 hexadecimal digits.")
    test = None
    draft = None
    signature = None


class Receipt(s.Serializer):
    id = s.UUIDField()
    state = s.ChoiceField(State.choices)
    url = s.URLField(help_text="The page of the submission.")
    sha256 = s.CharField()


class ReceiptText(s.Serializer):
    """What is signed: this object as JSON with sorted keys and without spaces."""

    registry = s.CharField(help_text="Address of the registry.")
    id = s.UUIDField()
    sha256 = s.CharField(help_text="Of the bytes as received.")
    size_bytes = s.IntegerField()
    received_at = s.DateTimeField()
    state = s.ChoiceField(State.choices)
    checked_at = s.DateTimeField(allow_null=True)
    rules_version = s.CharField(allow_null=True, help_text="Of the rules and parsers that checked it; null: not yet.")
    issued_at = s.DateTimeField()
    issued_by = s.CharField()


class SignedReceipt(s.Serializer):
    receipt = ReceiptText()
    signature = s.CharField(help_text="Ed25519, as ssh-keygen -Y sign writes it.")
    public_key = s.CharField(help_text="As in authorized_keys.")


class ReceiptKeys(s.Serializer):
    namespace = s.CharField()
    public_keys = s.ListField(child=s.CharField())


class WebhookRequest(s.Serializer):
    url = s.CharField(max_length=500, help_text="https, of a public host.")


class Webhook(s.Serializer):
    id = s.UUIDField()
    url = s.CharField()
    created_at = s.DateTimeField()


class WebhookWithSecret(Webhook):
    secret = s.CharField(help_text="With which deliveries are signed, as in Standard Webhooks.")


class WebhookPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = Webhook(many=True)


class Delivery(s.Serializer):
    id = s.CharField(help_text="As in the header webhook-id.")
    type = s.CharField(help_text="submission.STATE, system.step, or trial.")
    submission = s.UUIDField(allow_null=True)
    system = s.CharField(allow_null=True, help_text="Of a step: slug.")
    state = s.CharField(help_text="waiting, delivered or failed (given up).")
    attempts = s.IntegerField()
    tried_at = s.DateTimeField(allow_null=True)
    due_at = s.DateTimeField(allow_null=True, help_text="Next attempt, while waiting.")
    answer = s.CharField(help_text="Of the last attempt, in words.")


class DeliveryPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = Delivery(many=True)


class SubmissionRow(Receipt):
    test = s.BooleanField()
    filename = s.CharField()
    size = s.IntegerField(help_text="Bytes as received.")
    account = s.CharField()
    institution = s.CharField(allow_null=True)
    release = s.CharField(allow_null=True)
    lists = s.ListField(child=s.CharField())
    received_at = s.DateTimeField()
    checked_at = s.DateTimeField(allow_null=True)
    submitted_at = s.DateTimeField(allow_null=True)
    result = s.CharField(allow_null=True, help_text="Public id, once published.")
    revises = s.UUIDField(allow_null=True, help_text="The published submission that it revises.")


class Finding(s.Serializer):
    code = s.CharField()
    level = s.ChoiceField([("error", "error"), ("warning", "warning"), ("info", "info")])
    message = s.CharField()
    hint = s.CharField()
    where = s.CharField()
    expected = s.CharField()
    actual = s.CharField()
    run = s.IntegerField(required=False, help_text="Index of its run, where no run counts yet.")


class FindingPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = Finding(many=True)


class HistoryRow(s.Serializer):
    at = s.DateTimeField()
    actor = s.CharField(allow_null=True, help_text="Null: the registry itself.")
    from_state = s.CharField(allow_null=True)
    to_state = s.CharField()
    reason = s.CharField()


class HistoryPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = HistoryRow(many=True)


class ReviewRow(s.Serializer):
    decision = s.ChoiceField(Review.Decision.choices)
    reproducibility = s.ChoiceField(Result.Reproducibility.choices)
    production = s.BooleanField()
    reason = s.CharField()
    findings = s.ListField(
        child=s.DictField(child=s.CharField()), help_text="What the reason is about: code, message, where."
    )
    reviewer = s.CharField()
    made_at = s.DateTimeField()


@extend_schema_field(OpenApiTypes.OBJECT)
class Mapping(s.JSONField):
    """A JSON object whose names are not fixed."""


class SubmissionWhole(SubmissionRow):
    revision_reason = s.CharField(allow_blank=True)
    changes = Change(many=True, help_text="What a revision says otherwise than what it revises.")
    metadata = Mapping()
    embargo_until = s.DateTimeField(allow_null=True)
    answers = Mapping()
    answers_missing = Mapping(help_text="By list that asks for the questionnaire, the questions without an answer.")
    checked_with = s.CharField(allow_null=True, help_text="Version of the validators.")
    signature = s.ChoiceField(
        ["none", *Signature.Outcome.values], help_text="What the signature of the bundle is worth."
    )
    system = SystemSummary(allow_null=True, help_text="The description of the system in short, where there is one.")
    status = s.CharField(allow_null=True, help_text="valid, invalid, unreadable; null before the first check.")
    primary = s.IntegerField(allow_null=True, help_text="Index in `runs` of the run that counts.")
    tool = s.CharField(allow_null=True)
    version = s.CharField(allow_null=True)
    mode = s.CharField(allow_null=True)
    path = s.CharField(allow_null=True)
    scores = Mapping()
    hashes = Mapping()
    measurements = s.ListField(child=Mapping())
    parameters = Mapping()
    parameter_sources = Mapping(help_text="Where each parameter comes from.")
    described_parameters = Mapping(help_text="What the described system says beside them.")
    tests = s.ListField(child=Mapping())
    distributions = Distribution(many=True)
    rules = s.ListField(child=Mapping())
    findings = Finding(many=True)
    runs = s.ListField(child=Mapping())
    assigned = s.ListField(child=s.CharField(), help_text="Usernames of the reviewers who are to decide.")
    groups = s.ListField(child=Mapping(), help_text="Repeats, sweeps and runs not known to be alike.")
    reviews = ReviewRow(many=True)
    history = HistoryRow(many=True)


class SubmissionPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = SubmissionRow(many=True)


class FileRequest(s.Serializer):
    file = s.FileField(help_text="A file of any kind; with the others of the submission at most 64 MiB.")
    bundle = s.FileField(required=False, help_text="The file, as the collector calls it; in place of `file`.")
    sha256 = s.CharField(required=False, help_text="Of the file, 64 hexadecimal digits.")
    replaces = s.CharField(required=False, help_text="Name of the file whose place it takes; one of its own name does.")
    version = s.IntegerField(required=False, help_text="The version that must be current, else 409.")


class File(s.Serializer):
    name = s.CharField()
    sha256 = s.CharField()
    size = s.IntegerField(help_text="Bytes.")


class VersionRow(s.Serializer):
    version = s.IntegerField()
    since = s.DateTimeField()
    by = s.CharField()
    files = File(many=True)
    check = Mapping(allow_null=True, help_text="status, errors, warnings; null before it was checked.")


class VersionPage(s.Serializer):
    next = s.URLField(allow_null=True)
    results = VersionRow(many=True)


class VersionDifference(s.Serializer):
    files = Change(many=True)
    scores = Change(many=True)
    measurements = Change(many=True, help_text="Printed values with their units.")
    findings_gone = Finding(many=True)
    findings_new = Finding(many=True)

    def get_fields(self) -> dict[str, s.Field]:
        return {"from": s.IntegerField(), "to": s.IntegerField()} | super().get_fields()


class Files(s.Serializer):
    received = Mapping(help_text="The bundle.")
    files = File(many=True, help_text="Of the current version, the bundle first.")
    version = s.IntegerField()
    derivative = Mapping(allow_null=True)


class RevalidateRequest(s.Serializer):
    metadata = Mapping(required=False)
    release = s.CharField(required=False, allow_blank=True)
    lists = s.ListField(child=s.CharField(), required=False)


class SubmitRequest(s.Serializer):
    release = s.CharField()
    lists = s.ListField(
        child=s.CharField(max_length=30), max_length=20, help_text="Empty for a tool without a score: no list ranks it."
    )
    acknowledge_rules = s.BooleanField()
    acknowledge_publication = s.BooleanField()
    embargo_until = s.DateTimeField(required=False, allow_null=True, default=None)
    primary = s.IntegerField(required=False, allow_null=True, default=None, min_value=0, max_value=32767)


class ReviseRequest(s.Serializer):
    reason = s.CharField(max_length=4000)
    metadata = Mapping(required=False, help_text="Replaces what was said; left out, it stays.")
    answers = Mapping(required=False, help_text="Replaces the answers; left out, they stay.")


class WithdrawRequest(s.Serializer):
    reason = s.CharField(max_length=4000)


class ReviewRequest(s.Serializer):
    decision = Choice(Review.Decision.choices)
    reproducibility = Choice(
        Result.Reproducibility.choices, required=False, help_text="The awarded level; needed to accept a run."
    )
    production = s.BooleanField(default=False)
    reason = s.CharField(max_length=8000)
    findings = s.ListField(
        child=s.CharField(max_length=120), required=False, max_length=50, help_text="Codes that the reason is about."
    )

    def validate(self, said: dict[str, Any]) -> dict[str, Any]:
        """What is accepted can't be decided again, so its level is what somebody wrote and no default."""
        if said["decision"] == Review.Decision.ACCEPT and "reproducibility" not in said:
            levels = ", ".join(Result.Reproducibility.values)
            raise s.ValidationError({"reproducibility": [f"An accepted run is awarded a level: {levels}."]})
        return said


class ReviewAnswer(Receipt, ReviewRow):
    excluded = Mapping(help_text="By list, code and reason why the run could not rank there.")


class ReleaseChange(s.Serializer):
    name = s.CharField(max_length=120, required=False)
    opens = s.DateTimeField(required=False, allow_null=True)
    deadline = s.DateTimeField(required=False)
    publishes = s.DateTimeField(required=False, allow_null=True)
    benchmark_versions = s.ListField(child=s.CharField(max_length=80), required=False, max_length=50)
    lists = s.ListField(child=s.CharField(max_length=30), required=False, allow_empty=False, max_length=60)
    accepting_reviewers = s.IntegerField(
        required=False, min_value=1, max_value=9, help_text="So many reviewers have to accept a run."
    )


class LateRequest(s.Serializer):
    release = s.CharField(max_length=40)
    reason = s.CharField(max_length=2000)


class LateAnswer(LateRequest):
    """The decision that stands: the first one about this submission and release."""

    id = s.UUIDField()
    decided_by = s.CharField()
    decided_at = s.DateTimeField()


class ReleaseRequest(ReleaseChange):
    slug = s.SlugField(max_length=40)
    deadline = s.DateTimeField()


class PublishRequest(s.Serializer):
    allow_empty = s.BooleanField(
        default=False, help_text="Publish although lists would be empty, or no accepted run would become a result."
    )


class Published(s.Serializer):
    release = s.CharField()
    published_at = s.DateTimeField()
    results = s.IntegerField()
    lists = s.ListField(child=Mapping())
    embargoed = s.IntegerField()


class OverrideRequest(s.Serializer):
    result = s.CharField(max_length=60)
    action = Choice(Override.Action.choices)
    score = s.FloatField(required=False, allow_null=True, default=None, min_value=0)
    reason = s.CharField(max_length=2000)


class OverrideAnswer(OverrideRequest):
    release = s.CharField()
    list = s.CharField()
    decided_by = s.CharField()
    decided_at = s.DateTimeField()
    entries = s.IntegerField(help_text="Entries of the list now.")


class Report(s.Serializer):
    status = s.CharField()
    primary = s.IntegerField(allow_null=True)
    findings = Finding(many=True)
    runs = s.ListField(child=Mapping())
