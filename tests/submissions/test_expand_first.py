"""Migrations expand first: the code of the earlier release reads and writes the new schema until it is restarted.

A deep test starts that code (tests/deep/test_old_code_on_new_schema.py); here the schema itself is looked at.
"""

from __future__ import annotations

from functools import cache

from django.db.migrations.loader import MigrationLoader
from django.db.models import Field

EARLIER = {"registry": "0018_steps_put_off", "submissions": "0020_steps"}
"""The last migrations of the release that an upgrade begins with (tests/deep/earlier_release.py)."""

Tables = dict[str, dict[str, Field]]


@cache
def tables(*leaves: tuple[str, str]) -> Tables:
    """Columns by table of both apps, as the migrations up to `leaves` make them; without, as all of them do."""
    loader = MigrationLoader(None)
    nodes = list(leaves) or [node for node in loader.graph.leaf_nodes() if node[0] in EARLIER]
    apps = loader.project_state(nodes).apps
    return {
        model._meta.db_table: {field.column: field for field in model._meta.concrete_fields}
        for app in EARLIER
        for model in apps.get_app_config(app).get_models()
    }


def refuses_earlier_rows(field: Field) -> bool:
    """Whether a row that does not name this column is refused."""
    is_filled = field.null or field.generated or field.has_db_default()
    return not is_filled and not field.primary_key


def test_rows_written_by_the_earlier_release_are_accepted() -> None:
    earlier, now = tables(*EARLIER.items()), tables()
    assert len(earlier) > 40
    refusing = [
        f"{table}.{name}"
        for table, columns in now.items()
        for name, field in columns.items()
        if table in earlier and name not in earlier[table] and refuses_earlier_rows(field)
    ]
    assert refusing == [], "give them a db_default"


def test_columns_of_the_earlier_release_are_kept() -> None:
    earlier, now = tables(*EARLIER.items()), tables()
    # Its table is kept: migration 0022 of submissions forgets the model alone.
    gone = {"submissions_refusedbundle"}
    assert {table for table in earlier if table not in now} == gone
    lost = [f"{table}.{name}" for table in earlier.keys() - gone for name in earlier[table] if name not in now[table]]
    assert lost == [], "drop them one release later"


def test_a_column_stays_as_wide_as_it_was() -> None:
    earlier, now = tables(*EARLIER.items()), tables()
    narrower = [
        f"{table}.{name}"
        for table in earlier.keys() & now.keys()
        for name, field in earlier[table].items()
        if (field.max_length or 0) > (now[table][name].max_length or 10**9)
        or (field.null and not now[table][name].null)
    ]
    assert narrower == []
