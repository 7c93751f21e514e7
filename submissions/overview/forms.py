"""Forms of one submission: its upload, its metadata, submitting it. They read what a person sent, and no more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar

from django import forms
from django.utils import timezone

from registry.models import Platform
from submissions.bundles.file_versions import files_of
from submissions.checks import questionnaire
from submissions.models import Submission
from submissions.overview.open_lists import lists_of, releases_offered
from submissions.review.decisions import open_releases
from submissions.web.form_choices import set_choices
from submissions.web.formatting import REASON_LIMIT
from submissions.web.page_forms import PageForm
from validators.system import filesystems

DECLARED = "entered with the upload, or since"
DESCRIBED = "from the described system"
"""Where the value of a field comes from, as pages say it."""


class MetadataForm(PageForm):
    """Every field of the metadata schema, under its name there."""

    institution = forms.CharField(required=False, max_length=200)
    system = forms.CharField(required=False, max_length=200)
    filesystem_name = forms.CharField(required=False, max_length=120, label="Name of the file system")
    filesystem_type = forms.CharField(
        required=False, max_length=120, label="File system", widget=forms.TextInput(attrs={"list": "filesystems"})
    )
    storage_vendor = forms.CharField(required=False, max_length=120, label="Storage vendor")
    platform = forms.CharField(required=False, max_length=200, widget=forms.TextInput(attrs={"list": "platforms"}))
    client_nodes = forms.IntegerField(required=False, min_value=1, max_value=10_000_000, label="Client nodes")
    tasks = forms.IntegerField(required=False, min_value=1, max_value=1_000_000_000, label="Client processes (total)")
    production = forms.NullBooleanField(required=False, label="Production system")
    note = forms.CharField(
        required=False, max_length=4000, label="Note for reviewers", widget=forms.Textarea(attrs={"rows": 2})
    )

    def facts(self) -> list[forms.BoundField]:
        """The fields of the metadata but the note, which stands on its own."""
        return [self[name] for name in MetadataForm.base_fields if name != "note"]

    def platforms(self) -> Iterable[str]:
        """Names that the record knows, to choose from."""
        return Platform.objects.filter(merged_into=None).values_list("name", flat=True)

    def filesystems(self) -> Iterable[str]:
        """Names of file systems that are known, to choose from; another one may be written."""
        return sorted((system.name for system in filesystems.filesystems()), key=str.casefold)

    def metadata(self) -> dict[str, Any]:
        """What was filled in, under the names of the metadata schema."""
        entered = {name: self.cleaned_data[name] for name in MetadataForm.base_fields}
        return {name: value for name, value in entered.items() if value not in ("", None)}


class UploadForm(MetadataForm):
    """What is said beside the file. The file itself is streamed by the upload handler and is no field here."""

    release = forms.ChoiceField(required=False)
    lists = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    test = forms.BooleanField(required=False)
    draft = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = list(open_releases(timezone.now()))
        offered = [(release.slug, release.name) for release in releases]
        set_choices(self, "release", [("", "not yet"), *offered])
        set_choices(self, "lists", lists_of(releases))


class SubmitForm(PageForm):
    """To a release: lists, acknowledgements, which run counts."""

    context_name = "submit"
    fields_by_code: ClassVar[Mapping[str, str]] = {
        "submit.not-acknowledged": "acknowledge_rules",
        "review.primary-needed": "primary",
        "submit.no-such-run": "primary",
        "submit.list-not-of-release": "lists",
        "intake.unknown-list": "lists",
        "intake.unknown-release": "release",
        "submit.release-closed": "release",
        "submit.list-of-another-tool": "lists",
    }
    release = forms.ChoiceField()
    lists = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    acknowledge_rules = forms.BooleanField(required=False, label="We followed the rules")
    acknowledge_publication = forms.BooleanField(required=False, label="We agree to publication")
    primary = forms.IntegerField(required=False, min_value=0, label="Run")

    def __init__(self, *args: Any, submission: Submission, tools: Collection[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = releases_offered(submission)
        corrected = submission.revises and submission.revises.release_id
        choices = [
            (release.slug, f"{release.name}, as a correction" if release.pk == corrected else release.name)
            for release in releases
        ]
        set_choices(self, "release", choices)
        self.offered_lists = lists_of(releases, tools)
        """Name and title of the lists that may be chosen."""
        set_choices(self, "lists", self.offered_lists)


class FileForm(PageForm):
    """One more file, or another in the place of one. Its bytes are streamed by the upload handler."""

    context_name = "file_form"
    main_field = "file"
    fields_by_code: ClassVar[Mapping[str, str]] = {"files.not-found": "replaces"}
    replaces = forms.CharField(required=False, max_length=500, label="As", widget=forms.Select)
    file = forms.FileField(
        required=False, allow_empty_file=True, label="File", widget=forms.FileInput(attrs={"required": True})
    )
    """What is empty or missing is refused by the act, with its code."""
    version = forms.IntegerField(required=False, min_value=1, max_value=99_999, widget=forms.HiddenInput)

    def __init__(self, *args: Any, submission: Submission, **kwargs: Any) -> None:
        super().__init__(*args, initial={"version": submission.version}, **kwargs)
        names = [file["name"] for file in files_of(submission)]
        choices = [("", "additional file"), *((name, f"replace {name}") for name in names)]
        self.fields["replaces"].widget = forms.Select(choices=choices) if names else forms.HiddenInput()


class ReasonForm(PageForm):
    """An act that needs a reason and no more."""

    main_field = "reason"
    reason = forms.CharField(
        required=False,
        max_length=REASON_LIMIT,
        label="Reason",
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": 2000, "required": True}),
    )
    """What is empty is refused by the act, with its code."""


class WithdrawForm(ReasonForm):
    """Why a run is taken back."""

    context_name = "withdraw_form"


class ReviseForm(ReasonForm):
    """Why a published result gets a revision."""

    context_name = "revise_form"


class AnonymityForm(ReasonForm):
    """Why a run shall be published without names."""

    context_name = "anonymity_form"


class AnonymityDecisionForm(ReasonForm):
    """Whether it may be, and why."""

    context_name = "anonymity_decision"
    granted = forms.ChoiceField(
        choices=[("yes", "Grant"), ("no", "Refuse")], widget=forms.RadioSelect, label="Decision"
    )
    field_order = ("granted", "reason")


def details_form(submission: Submission, run: Mapping[str, Any] | None = None) -> MetadataForm:
    """The form of the metadata, filled with what was declared, else with what the files and the account say.

    Each filled field says where its value comes from. `run` is the one that counts in the latest check.
    """
    if run is None:
        run = questionnaire.primary_run(submission, None) or {}
    file_values = _read_values(submission, run)
    declared = submission.metadata
    form = MetadataForm(initial={name: value for name, (value, _) in file_values.items()} | declared)
    for name, field in form.fields.items():
        if name in declared:
            field.help_text = DECLARED
        elif name in file_values:
            field.help_text = file_values[name][1]
    return form


def _read_values(submission: Submission, run: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Value and origin of each field that the files or the account answer."""
    values: dict[str, tuple[Any, str]] = {}
    if submission.institution is not None:
        values["institution"] = submission.institution.name, "from your account"
    described = run.get("described_parameters", {})
    if described.get("filesystem_type"):
        values["filesystem_type"] = _only_value(described["filesystem_type"]), DESCRIBED
    for name in ("client_nodes", "tasks"):
        if run.get(name):
            values[name] = run[name], f"from the {run.get('extent_sources', {}).get(name, 'files')} of the run"
    return {name: (value, words) for name, (value, words) in values.items() if value not in (None, "")}


def _only_value(value: Any) -> Any:
    """The only one of several values; None where they differ."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 else None
    return value
