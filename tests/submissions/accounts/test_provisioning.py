"""Accounts as an administrator makes and sees them."""

from __future__ import annotations

import pytest
from django.test import Client

from registry.models import Site
from submissions.accounts import tokens
from submissions.accounts.provisioning import ensure_account
from submissions.models import Account
from tests.registry.record import make_release, make_result

pytestmark = pytest.mark.django_db


def test_a_role_is_changed_only_when_one_is_given() -> None:
    ensure_account("gil", "editor")
    assert ensure_account("gil").role == "editor"
    assert ensure_account("gil", "submitter").role == "submitter"


def test_only_administrators_open_the_admin() -> None:
    assert ensure_account("gil", "admin").is_superuser
    assert not ensure_account("gil", "editor").is_superuser


def test_a_new_account_has_no_password_that_could_be_guessed() -> None:
    assert not ensure_account("gil").has_usable_password()


@pytest.mark.parametrize("username", ["../gil", "", "gil hill", "g" * 151])
def test_a_name_that_is_no_account_is_refused(username) -> None:
    with pytest.raises(ValueError):
        ensure_account(username)
    assert not Account.objects.exists()


def test_a_token_is_stored_as_a_hash_only() -> None:
    account = ensure_account("gil")
    _, token = tokens.create_token(account)
    stored = account.tokens.get()
    assert token not in (stored.digest, stored.beginning)
    assert len(stored.beginning) < len(token) / 2


@pytest.mark.parametrize("role", ["submitter", "reviewer", "editor"])
def test_the_admin_is_hidden_from_other_roles(role) -> None:
    browser = Client()
    browser.force_login(ensure_account("gil", role))
    assert browser.get("/admin/submissions/submission/").status_code == 302


@pytest.mark.parametrize("page", ["account", "submission", "check", "event", "review", "scrubbedcopy"])
def test_an_administrator_views_all_models(page, checked) -> None:
    checked()
    browser = Client()
    browser.force_login(Account.objects.get(username=ensure_account("gil", "admin").username))
    assert browser.get(f"/admin/submissions/{page}/").status_code == 200


@pytest.mark.parametrize("change", ["add/", "1/delete/"])
def test_administrators_cannot_rewrite_history(change) -> None:
    browser = Client()
    browser.force_login(ensure_account("gil", "admin"))
    assert browser.get(f"/admin/submissions/event/{change}").status_code in (302, 404)


def test_the_admin_has_no_login_form() -> None:
    answer = Client().post("/admin/login/", {"username": "gil", "password": "guess"})
    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/login/")


def test_an_administrator_names_an_institution_and_its_slug_stays() -> None:
    ensure_account("alice", institution="north-lab")
    site = Site.objects.get(slug="north-lab")
    browser = Client()
    browser.force_login(ensure_account("gil", "admin"))
    browser.post(f"/admin/registry/site/{site.pk}/change/", {"name": "North Lab", "slug": "south-lab"})
    assert Site.objects.values_list("slug", "name").get() == ("north-lab", "North Lab")


def test_an_institution_of_imported_lists_keeps_its_name() -> None:
    site = make_result(make_release("SC23"), "io500-1", institution="Site One").site
    browser = Client()
    browser.force_login(ensure_account("gil", "admin"))
    assert browser.get(f"/admin/registry/site/{site.pk}/change/").status_code == 200
    browser.post(f"/admin/registry/site/{site.pk}/change/", {"name": "Another"})
    assert Site.objects.get().name == "Site One"


@pytest.mark.parametrize("change", ["add/", "{}/delete/"])
def test_institutions_are_neither_made_nor_deleted_by_hand(change) -> None:
    ensure_account("alice", institution="north-lab")
    browser = Client()
    browser.force_login(ensure_account("gil", "admin"))
    assert browser.get("/admin/registry/site/" + change.format(Site.objects.get().pk)).status_code == 404


@pytest.mark.django_db
def test_a_superuser_is_an_administrator() -> None:
    assert Account.objects.create_superuser("grace", password="correct horse battery").role == Account.Role.ADMIN
    assert Account.objects.create_user("heidi").role == Account.Role.SUBMITTER
