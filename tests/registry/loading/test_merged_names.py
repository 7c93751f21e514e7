"""What sources prove to be one, merged when the catalogue is loaded: in a new record and in one from before."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client

from registry.identity import merging, splitting
from registry.identity.merging import Decision
from registry.loading import merged_names
from registry.loading.catalogue_loader import load_catalogue
from registry.loading.reported_results import ReportedError, link_printed_again, read_reported
from registry.models import CatalogueLoad, IdentityChange, Measurement, Platform, RankedList, Result, Site, System

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

HPE, LONG = "hpe", "hewlett-packard-enterprise"
OF_HPE = Result.objects.filter(public_id__startswith="mlperf-1.0-hpe-")


def load_again() -> None:
    CatalogueLoad.objects.all().delete()
    load_catalogue()


def links() -> list[Any]:
    return list(Result.objects.order_by("public_id").values_list("public_id", "site__slug", "system__slug", "platform"))


def digests() -> dict[tuple[str, str], str]:
    return {(row.release.slug, row.name): row.digest for row in RankedList.objects.select_related("release")}


def test_hpe_is_one_institution_with_redirects() -> None:
    assert set(OF_HPE.values_list("site__slug", "institution")) == {(LONG, "HPE")}
    assert Result.objects.filter(site__slug=LONG).count() == 63
    for path in ("/sites/{}/", "/api/v1/sites/{}/"):
        answer = Client().get(path.format(HPE))
        assert (answer.status_code, answer["Location"]) == (301, path.format(LONG))
    (formerly,) = Client().get(f"/api/v1/sites/{LONG}/").json()["formerly"]
    assert (formerly["slug"], formerly["name"]) == (HPE, "HPE") and formerly["source"]


def test_shaheen_ii_is_one_system() -> None:
    systems = System.objects.filter(name__icontains="shaheen", merged_into=None)
    assert sorted(systems.values_list("name", flat=True)) == ["Shaheen II", "Shaheen III"]
    (slug,) = systems.filter(name="Shaheen II").values_list("slug", flat=True)
    ids = Result.objects.filter(system__slug=slug).values_list("public_id", flat=True)
    assert set(ids) == {"io500-61", "io500-65", "io500-96", "io500-144"}
    assert Client().get(f"/systems/{slug.replace('-ii', 'ii')}/")["Location"] == f"/systems/{slug}/"


def test_every_merge_of_the_file_is_done_with_its_evidence() -> None:
    acts = {(act.kind, act.from_slug): act for act in IdentityChange.objects.filter(part_of=None)}
    for row in merged_names.read_merged():
        act = acts[row["kind"], row["former"]]
        assert (act.to_slug, act.from_name, act.reason, act.source) == (
            row["into"],
            row["name"],
            row["why"],
            row["source"],
        )
        assert act.decided_by == "" and act.public and row["source"]


def test_an_older_database_gets_the_same_merges_as_a_new_one() -> None:
    """As 96d1bca left it: nothing merged, no platforms of these systems."""
    expected, frozen = links(), digests()
    for act in IdentityChange.objects.filter(part_of=None).order_by("-id"):
        merging.undo_change(act.pk, Decision("as before"))
    IdentityChange.objects.all().delete()
    Result.objects.filter(pk__in=OF_HPE).update(platform=None)
    System.objects.filter(slug__startswith="hpe-").update(platform=None)
    assert Site.objects.get(slug=HPE).merged_into is None and OF_HPE.filter(site__slug=HPE).count() == 8
    load_again()
    assert (links(), digests()) == (expected, frozen)


def test_undone_merges_and_splits_of_editors_are_kept() -> None:
    for slug in ("hewlett-packard-enterprise-10xhdr200_1host", HPE):
        act = IdentityChange.objects.get(from_slug=slug)
        merging.undo_change(act.pk, Decision("Two companies."))
    (slug,) = System.objects.filter(name="Shaheen II").values_list("slug", flat=True)
    splitting.split_system(slug, ["io500-96"], Decision("A disk file system."), name="Shaheen II Lustre")
    splitting.split_site("ddn", ["ddn-es400nv"], Decision("Another company."), name="Other Company")
    before, systems = links(), System.objects.count()
    load_again()
    assert links() == before and System.objects.count() == systems
    assert set(OF_HPE.values_list("site__slug", flat=True)) == {HPE}


def test_a_merge_by_an_editor_survives_a_load() -> None:
    merging.merge_names("site", "yanrong", "yanrongtech", Decision("The company says so."))
    before, sites = links(), Site.objects.count()
    load_again()
    assert links() == before and Site.objects.count() == sites


def test_generations_of_merged_platforms_survive_a_load() -> None:
    """The one that remains has the predecessor of the former one, and nothing else comes before it in a file."""
    merging.merge_names("platform", "cray-e2000", "cray-c500", Decision("Another name of it."))
    before = list(Platform.objects.order_by("pk").values_list("slug", "predecessor__slug", "merged_into__slug"))
    assert ("cray-c500", "clusterstor-e1000", None) in before
    load_again()
    assert list(Platform.objects.order_by("pk").values_list("slug", "predecessor__slug", "merged_into__slug")) == before


# One measurement, printed twice


def mean_values(public_id: str) -> dict[str, float]:
    rows = Measurement.objects.filter(result__public_id=public_id, stat="mean")
    return dict(rows.annotate(key=Concat("op", Value("."), "quantity")).values_list("key", "value"))


def test_copies_of_a_measurement_point_to_the_one_that_counts() -> None:
    pairs = dict(Result.objects.exclude(same_as=None).values_list("public_id", "same_as__public_id"))
    assert pairs == {row["id"]: row["same_as"] for row in read_reported() if "same_as" in row}
    assert len(pairs) == 4
    for copy, counted in pairs.items():
        numbers = [mean_values(name) for name in (copy, counted)]
        shared = numbers[0].keys() & numbers[1].keys()
        assert shared and all(numbers[0][op] == pytest.approx(numbers[1][op], rel=1e-4) for op in shared), copy


@pytest.mark.parametrize("same_as", ["no-such", "benchmarking-lustre-mdtest-0k-ko2iblnd"])
def test_a_copy_of_nothing_or_of_a_copy_is_refused(same_as: str) -> None:
    rows = [row | ({"same_as": same_as} if row["id"] == "cug25-table3-1" else {}) for row in read_reported()]
    with pytest.raises(ReportedError, match="no result that counts"):
        link_printed_again(rows)
