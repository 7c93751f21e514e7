"""Results by the institution, system or platform that a slug or name means; a former name means what it is now."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from registry.models import Platform, Result, Site, System
from registry.query.public_record import is_public_name

Model = type[Site] | type[System] | type[Platform]
KINDS: dict[Model, str] = {Site: "site", System: "system", Platform: "platform"}


def of_institution(value: str) -> Q:
    """Of the sites that have this slug or name, or that some result prints so."""
    printed_site_ids = Result.objects.order_by().filter(institution__iexact=value).values("site_id")
    return Q(site__in=current_ids(Site, [value]).union(printed_site_ids))


def of_system(*values: str) -> Q:
    """Of the systems that have one of these slugs or names."""
    return Q(system__in=current_ids(System, values))


def of_platform(*values: str) -> Q:
    """Of the platforms that have one of these slugs or names."""
    return Q(platform__in=current_ids(Platform, values))


def current_ids(model: Model, values: Iterable[str]) -> QuerySet[Any, Any]:
    """Primary keys of what these slugs or names mean today, in one look-up."""
    by_name = [Q(name__iexact=value) for value in values]
    condition = reduce(or_, by_name, Q(slug__in=[value.lower() for value in values]))
    rows: QuerySet[Any] = model._default_manager.order_by().filter(condition, is_public_name(KINDS[model]))
    return rows.values_list(Coalesce("merged_into_id", "id"))
