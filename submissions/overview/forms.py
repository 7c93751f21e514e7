"""Forms of the private pages. They read what a person sent; what it means is for intake, review and publication."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone

from registry.lists.definitions import tool_of
from registry.lists.listing import newest_definitions
from registry.models import Override, Platform, Release, Result
from submissions.accounts import tokens
from submissions.models import Account, Comment, Judgement, Membership, Review, Submission, Token
from submissions.publication.releases import SLUG, known_lists, read_time
from submissions.review.decisions import open_releases, releases_for


def lists_of(releases: list[Release], tools: Collection[str] = ()) -> list[tuple[str, str]]:
    """Name and title of every list that one of the releases makes for one of the tools, by default for any."""
    names = list(dict.fromkeys(name for release in releases for name in release.list_names))
    bodies = newest_definitions(names)
    return [(name, bodies[name]["title"]) for name in names if not tools or tool_of(bodies[name]) in tools]


class MetadataForm(forms.Form):
    """Every field of the metadata schema, under its name there."""

    institution = forms.CharField(required=False, max_length=200)
    system = forms.CharField(required=False, max_length=200)
    filesystem_name = forms.CharField(required=False, max_length=120, label="Name of the file system")
    filesystem_type = forms.CharField(required=False, max_length=120, label="File system")
    storage_vendor = forms.CharField(required=False, max_length=120, label="Storage vendor")
    platform = forms.CharField(required=False, max_length=200, widget=forms.TextInput(attrs={"list": "platforms"}))
    client_nodes = forms.IntegerField(required=False, min_value=1, max_value=10_000_000, label="Client nodes")
    tasks = forms.IntegerField(required=False, min_value=1, max_value=1_000_000_000, label="Client processes in all")
    production = forms.NullBooleanField(required=False, label="Production system")
    note = forms.CharField(required=False, max_length=4000, widget=forms.Textarea(attrs={"rows": 2}))

    def facts(self) -> list[forms.BoundField]:
        """The fields of the metadata but the note, which stands on its own."""
        return [self[name] for name in MetadataForm.base_fields if name != "note"]

    def platforms(self) -> Iterable[str]:
        """Names that the record knows, to choose from."""
        return Platform.objects.values_list("name", flat=True)

    def metadata(self) -> dict[str, Any]:
        """What was filled in, under the names of the metadata schema."""
        said = {name: self.cleaned_data[name] for name in MetadataForm.base_fields}
        return {name: value for name, value in said.items() if value not in ("", None)}


class UploadForm(MetadataForm):
    """What is said beside the file. The file itself is streamed by the upload handler and is no field here."""

    release = forms.ChoiceField(required=False)
    lists = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    test = forms.BooleanField(required=False)
    draft = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = list(open_releases(timezone.now()))
        self.fields["release"].choices = [("", "not yet"), *((one.slug, one.name) for one in releases)]
        self.fields["lists"].choices = lists_of(releases)


class SubmitForm(forms.Form):
    """To a release: lists, acknowledgements, which run counts."""

    release = forms.ChoiceField()
    lists = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)
    acknowledge_rules = forms.BooleanField(required=False)
    acknowledge_publication = forms.BooleanField(required=False)
    primary = forms.IntegerField(required=False, min_value=0)

    def __init__(self, *args: Any, submission: Submission, tools: Collection[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = releases_for(submission, timezone.now())
        choices = [(one.slug, one.name) for one in releases]
        if submission.revises is not None:
            published = submission.revises.release
            choices.insert(0, (published.slug, f"{published.name}, as a correction"))
            releases.append(published)
        self.fields["release"].choices = choices
        self.fields["lists"].choices = lists_of(releases, tools)

    def filled(self, sent: QueryDict) -> SubmitForm:
        """The same form with what was sent in the place of what was said at upload."""
        self.initial = {name: self.fields[name].widget.value_from_datadict(sent, {}, name) for name in self.fields}
        return self


class MomentField(forms.Field):
    """A moment with its zone, as releases.read_time takes it; None where empty."""

    widget = forms.TextInput(attrs={"maxlength": 40})

    def to_python(self, value: Any) -> Any:
        if not value:
            return None
        try:
            return read_time(str(value)[:40])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def prepare_value(self, value: Any) -> Any:
        return value.strftime("%Y-%m-%dT%H:%M:%SZ") if hasattr(value, "strftime") else value


class ReleaseForm(forms.Form):
    """A call for submissions, as editors make and change it."""

    slug = forms.RegexField(
        rf"\A{SLUG.pattern}\Z",
        max_length=40,
        help_text="Stands in addresses: SC27",
        error_messages={"invalid": "Letters, digits and single hyphens, at most 40."},
    )
    name = forms.CharField(max_length=120, required=False, help_text="As readers see it; empty: the slug")
    opens = MomentField(required=False, help_text="Empty: at once")
    deadline = MomentField(help_text="2027-04-30 AoE, or 2027-04-30T12:00:00Z")
    publishes = MomentField(required=False, help_text="Empty: when an editor says so")
    benchmark_versions = forms.CharField(required=False, max_length=2000, help_text="With commas; empty: any")
    accepting_reviewers = forms.IntegerField(
        min_value=1, max_value=9, initial=1, help_text="So many have to accept a run"
    )
    lists = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["lists"].choices = [(name, body["title"]) for name, body in known_lists()]

    def clean_benchmark_versions(self) -> list[str]:
        return [one.strip() for one in self.cleaned_data["benchmark_versions"].split(",") if one.strip()]


class ProposalForm(forms.Form):
    """Definitions under which a list is previewed, as JSON; an empty one is the current one."""

    definition = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 8, "class": "mono"}))
    score = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 4, "class": "mono"}))


class OverrideForm(forms.Form):
    """A decision about one result of one list."""

    result_id = forms.CharField(max_length=60)
    action = forms.ChoiceField(choices=Override.Action.choices)
    score = forms.FloatField(required=False, min_value=0)
    reason = forms.CharField(max_length=2000)


class WithdrawForm(forms.Form):
    reason = forms.CharField(max_length=2000)


class DecisionForm(forms.Form):
    """A reviewer's decision; the submitter reads the reason."""

    decision = forms.ChoiceField(choices=Review.Decision.choices)
    reproducibility = forms.ChoiceField(choices=Result.Reproducibility.choices)
    production = forms.BooleanField(required=False)
    reason = forms.CharField(max_length=10_000, widget=forms.Textarea(attrs={"rows": 4}))
    findings = forms.MultipleChoiceField(required=False)

    def __init__(self, *args: Any, codes: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["findings"].choices = [(code, code) for code in dict.fromkeys(codes)]


class JudgementForm(forms.Form):
    """What a reviewer found of one rule."""

    rule = forms.CharField(max_length=80)
    outcome = forms.ChoiceField(choices=Judgement.Outcome.choices)
    note = forms.CharField(max_length=4000, required=False)


class CommentForm(forms.Form):
    """A comment or an answer to one."""

    text = forms.CharField(max_length=8000, required=False)
    audience = forms.ChoiceField(choices=[("", ""), *Comment.Audience.choices], required=False)
    answers = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    finding = forms.CharField(max_length=120, required=False)


class VendorsForm(forms.Form):
    """Vendors that an account is tied to, one to a line."""

    vendors = forms.CharField(max_length=4000, required=False)

    def clean_vendors(self) -> list[str]:
        return list(
            dict.fromkeys(
                " ".join(line.split())[:120] for line in self.cleaned_data["vendors"].splitlines() if line.strip()
            )
        )


class SigningKeyForm(forms.Form):
    """A public key to add, as in id_ed25519.pub."""

    public_key = forms.CharField(max_length=16 * 1024)


class FingerprintForm(forms.Form):
    """Which signing key to remove."""

    fingerprint = forms.CharField(max_length=60)


class InviteForm(forms.Form):
    """Whom to invite to an institution."""

    invitee = forms.CharField(max_length=254, label="Name or mail address")
    role = forms.ChoiceField(choices=Membership.Role.choices, label="As")


class RoleForm(forms.Form):
    """Another role for a member."""

    account = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=Membership.Role.choices)


class NewTokenForm(forms.Form):
    """What a token is for, and how long."""

    name = forms.CharField(required=False, max_length=80, label="What for")
    scopes = forms.MultipleChoiceField(
        choices=Token.Scope.choices,
        initial=tokens.USUAL_SCOPES,
        widget=forms.CheckboxSelectMultiple,
        label="It may",
    )
    days = forms.TypedChoiceField(
        choices=[(days, f"{days} days") for days in (7, 30, 90, tokens.USUAL_DAYS, tokens.MOST_DAYS)],
        coerce=int,
        initial=tokens.USUAL_DAYS,
        label="Works for",
    )


class TokenForm(forms.Form):
    """Which token to revoke."""

    beginning = forms.CharField(max_length=64)


class StepForm(forms.Form):
    """What is said of a step; what of it is taken, submissions/change_points/triage.py decides."""

    state = forms.CharField(max_length=13)
    note = forms.CharField(required=False, max_length=4000)
    version = forms.IntegerField(min_value=0)


class WebhookForm(forms.Form):
    url = forms.CharField(max_length=500)


class MailForm(forms.ModelForm):
    class Meta:
        model = Account
        fields = ["mail"]
