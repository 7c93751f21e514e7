"""Django's admin for administrators: accounts, memberships and names of institutions to change, the rest to look at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from registry.log import name_records
from registry.models import Result, Site
from submissions.models import (
    Account,
    Check,
    Event,
    Membership,
    Review,
    ScrubbedCopy,
    SecretFile,
    SigningKey,
    Submission,
    Tie,
    account_names,
)


class Memberships(admin.TabularInline):  # type: ignore[type-arg]  # it takes none at run time
    """To look at and to add; they end on the page of the institution, after which a tie stays."""

    model = Membership
    extra = 0
    raw_id_fields = ["institution"]

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class Ties(admin.TabularInline):  # type: ignore[type-arg]  # as above
    """To look at and to add; they end on /review/ties/, with a reason."""

    model = Tie
    fk_name = "account"
    extra = 0
    fields = ["vendor", "since", "ended_at", "ended_by", "reason"]
    readonly_fields = ["since", "ended_at", "ended_by", "reason"]

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Account)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]  # as above
    inlines = [Memberships, Ties]
    list_display = ["username", "role", "is_active", "last_login"]
    list_filter = ["role", "is_active"]
    fieldsets = (
        *((title, fields) for title, fields in UserAdmin.fieldsets or () if title != _("Permissions")),
        ("In the registry", {"fields": ["role", "is_active", "directory_entry"]}),
    )
    filter_horizontal = ()

    def save_model(self, request: HttpRequest, obj: Account, form: Any, change: bool) -> None:
        """Where an account gets another name, what it decided gets it too: the log has the number of the account."""
        former = Account.objects.filter(pk=obj.pk).values_list("username", flat=True).first()
        super().save_model(request, obj, form, change)
        if former is not None and former != obj.username:
            account_names.replace_name(former, obj.username)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # as above
    """What changes by the stages of the registry only, so that history and rules hold."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["id", "filename", "state", "account", "institution", "release", "received_at", "attempts"]
    list_filter = ["state", "release"]
    list_select_related = ["account", "institution", "release"]
    search_fields = ["=sha256", "filename", "account__username"]


@admin.register(Check)
class CheckAdmin(ReadOnlyAdmin):
    list_display = ["submission_id", "made_at", "status", "errors", "warnings", "seconds", "validators_version"]
    list_filter = ["status"]


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ["submission_id", "at", "actor", "from_state", "to_state", "reason"]
    list_filter = ["to_state"]
    list_select_related = ["actor"]


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    list_display = ["submission_id", "made_at", "reviewer", "decision", "reproducibility", "production"]
    list_filter = ["decision"]
    list_select_related = ["reviewer"]


@admin.register(SigningKey)
class SigningKeyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # as above
    """To look at and to remove; keys are added by their owners, or by `manage add_signing_key`."""

    list_display = ["fingerprint", "account", "comment", "added_at"]
    list_select_related = ["account"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(SecretFile)
class SecretFileAdmin(ReadOnlyAdmin):
    list_display = ["sha256", "submission_id", "account", "outcome", "found_at", "bytes_deleted_at"]
    list_filter = ["outcome"]
    list_select_related = ["account"]
    search_fields = ["=sha256", "account__username"]


@admin.register(ScrubbedCopy)
class ScrubbedCopyAdmin(ReadOnlyAdmin):
    list_display = ["submission_id", "made_at", "sha256", "size"]


@admin.register(Site)
class SiteAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # it takes none at run time
    """Slugs are addresses and stay; published results keep the name that they were published with."""

    list_display = ["name", "slug"]
    search_fields = ["name", "slug"]
    fields = ["slug", "name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Site | None = None) -> list[str]:
        """An institution of imported lists is found again by its name when they are loaded."""
        imported = obj is not None and obj.results.filter(trust=Result.Trust.IMPORTED).exists()
        return ["slug", "name"] if imported else ["slug"]

    def save_model(self, request: HttpRequest, obj: Site, form: Any, change: bool) -> None:
        """The log gets the new name, and results are found by it."""
        super().save_model(request, obj, form, change)
        name_records.record_new_name(obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
