"""An imported result that was erased: its names are in no table, and loading the data files again brings none back."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from registry.loading import erasing
from registry.loading.catalogue_loader import load_catalogue
from registry.models import CatalogueLoad, Erasure, ListEntry, RankedList, Result, System

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]


def tables_with(text: str) -> list[str]:
    """Tables of the record that hold a text in some row."""
    tables = []
    for model in apps.get_app_config("registry").get_models():
        with connection.cursor() as cursor:
            cursor.execute(
                f'SELECT count(*) FROM "{model._meta.db_table}" t WHERE t::text ILIKE %s',
                [f"%{text}%"],
            )
            if cursor.fetchone()[0]:
                tables.append(model._meta.db_table)
    return tables


@pytest.fixture
def lonely() -> Result:
    """A result whose system has a name that no other result, list or institution has."""
    for result in Result.objects.filter(trust=Result.Trust.IMPORTED, entries__isnull=False).order_by("pk").distinct():
        name = result.system_name
        same = Result.objects.filter(system_name__icontains=name).count() if len(name) > 6 else 0
        named = System.objects.filter(name__icontains=name).count()
        if same == named == 1 and result.system.results.count() == 1 and name not in result.institution:
            return result
    raise AssertionError("the data files have no such result")


def test_loading_data_files_restores_no_erased_name(lonely) -> None:
    name, day = lonely.system_name, ""
    ranks = list(ListEntry.objects.order_by("pk").values_list("ranked_list__name", "rank", "score"))
    assert {"registry_result", "registry_system", "registry_listentry"} <= set(tables_with(name))
    erasing.erase_results([lonely], "institution", "fay")
    assert tables_with(name) == []
    digests = dict(RankedList.objects.values_list("pk", "digest"))
    CatalogueLoad.objects.all().delete()
    assert load_catalogue().changed
    assert tables_with(name) == []
    assert sorted(ListEntry.objects.values_list("ranked_list__name", "rank", "score")) == sorted(ranks)
    day = f"{Erasure.objects.get().erased_at:%Y-%m-%d}"
    lists = RankedList.objects.filter(entries__result=lonely)
    assert lists.exists()
    for ranked_list in lists:
        assert ranked_list.note.count(f"Amended on {day}: {lonely.public_id}: erased on request.") == 1
    assert sorted(RankedList.objects.values_list("digest", flat=True)) == sorted(digests.values())
    assert Client().get(f"/results/{lonely.public_id}/").status_code == 410


def test_erasing_a_result_keeps_a_system_with_other_results() -> None:
    system = next(row for row in System.objects.order_by("pk") if row.results.count() > 2)
    first, second = system.results.order_by("pk")[:2]
    count = system.results.count()
    erasing.erase_results([first], "person", "fay")
    erasing.erase_results([second], "person", "fay")
    assert system.results.count() == count - 2
    assert {row.system for row in Erasure.objects.all()} == {system}
    assert len({row.system_key for row in Erasure.objects.all()}) == 1
    first.refresh_from_db()
    assert (first.institution, first.system_name, first.source, first.snapshot) == ("", "", "", {"erased": True})
    assert first.withdrawn_at is not None
