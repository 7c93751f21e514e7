"""What results can be asked by: one row for each fact of each result, whatever it was read from.

Columns of the result, parameters of its run and parameters of its system become rows (result, name, text) of one table
with one index, so that any of them is a filter, an x axis or a series at the same cost. registry/query/data/axes.json
names those that people ask for most; a name that several sources have is read from the first that has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Model

from registry.models import Fact
from registry.query.differences import alike, configuration_diff
from registry.query.facts import axes
from registry.query.row_sources import PUBLIC, RowSource
from validators import catalogue

COLUMNS = {
    "client_nodes": "r.client_nodes::text",
    "tasks": "r.tasks::text",
    "tool": "r.tool",
    "tool_version": "r.tool_version",
    "mode": "r.mode",
    "institution": "CASE WHEN r.institution <> '' THEN s.name END",
    "system": "CASE WHEN r.system_name <> '' THEN y.name END",
    "platform": "p.name",
    "vendor": "coalesce(nullif(r.vendor, ''), r.storage_vendor)",
    "filesystem": "coalesce(nullif(r.filesystem_family, ''), r.filesystem_type)",
    "filesystem_version": "r.filesystem_version",
    "release": "l.slug",
    "reproducibility": "nullif(r.reproducibility, 'undefined')",
    "production": "r.production::text",
}
"""Facts that are columns of a result or of what it refers to, as SQL over registry_result r."""

_COLUMN_VALUES = ", ".join(f"('{name}', {sql})" for name, sql in COLUMNS.items())
_OF_COLUMNS = f"""
    SELECT r.id AS result_id, told.name, told.text, 1 AS instances
    FROM registry_result r
    JOIN registry_site s ON s.id = r.site_id
    JOIN registry_system y ON y.id = r.system_id
    LEFT JOIN registry_platform p ON p.id = r.platform_id
    LEFT JOIN registry_release l ON l.id = r.release_id
    CROSS JOIN LATERAL (VALUES {_COLUMN_VALUES}) AS told (name, text)
    WHERE r.id = ANY (%(ids)s) AND told.text <> ''
"""  # noqa: S608  # made of the constants above

# Numbers as text_of writes them (8.0 is 8); lists and objects are no facts to ask by.
_OF_RUNS = """
    SELECT r.id, left(run.key, 120),
        CASE jsonb_typeof(run.value)
            WHEN 'number' THEN trim_scale((run.value #>> '{}')::numeric)::text ELSE run.value #>> '{}' END, 1
    FROM registry_result r CROSS JOIN LATERAL jsonb_each(r.parameters) AS run
    WHERE r.id = ANY (%(ids)s) AND run.key <> ALL (%(columns)s)
        AND jsonb_typeof(run.value) IN ('string', 'number', 'boolean') AND run.value #>> '{}' <> ''
"""

# lustre.version@oss, block.other/wbt_lat_usec@oss: what nodes of one role have, most frequent value first.
_OF_SYSTEMS = """
    SELECT o.result_id, left(o.parameter || CASE o.key WHEN '' THEN '' ELSE '/' || o.key END || '@' || o.role, 120),
        o.text, o.instances
    FROM registry_observedparameter o WHERE o.result_id = ANY (%(ids)s)
"""

# Maps that say one thing together: a distribution is its name and version ("rhel 8.10"), networks are their types.
_OF_MAPS = """
    SELECT o.result_id, o.parameter || '@' || o.role,
        CASE o.parameter WHEN 'lnet.networks' THEN string_agg(DISTINCT o.key, '; ')
            ELSE string_agg(o.text, ' ' ORDER BY o.key, o.instances DESC) END, 1
    FROM registry_observedparameter o
    WHERE o.result_id = ANY (%(ids)s) AND o.parameter IN ('lnet.networks', 'os.distribution')
    GROUP BY o.result_id, o.parameter, o.role
"""

# Counts of the whole described system, for what no tool prints: what one node has of it says nothing of all.
_OF_DESCRIPTIONS = """
    SELECT r.id, told.key || '@system', told.value #>> '{}', 1
    FROM registry_result r CROSS JOIN LATERAL jsonb_each(r.snapshot -> 'described_parameters') AS told
    WHERE r.id = ANY (%(ids)s) AND told.key IN ('drives', 'data_servers') AND jsonb_typeof(told.value) = 'number'
"""

# What the description declares of its storage system. Of several it does not say which one the run wrote to.
_OF_STORAGE = """
    SELECT s.result_id, told.name, told.text, 1
    FROM registry_systemsnapshot s
    CROSS JOIN LATERAL (SELECT s.document -> 'storage_systems' -> 0 AS declared) AS storage
    CROSS JOIN LATERAL (VALUES
        ('targets@system', declared ->> 'data_targets'),
        ('metadata_targets@system', declared ->> 'metadata_targets'),
        ('usable_pib@system',
            trim_scale(round((declared ->> 'usable_bytes')::numeric / 1125899906842624, 6))::text)) AS told (name, text)
    WHERE s.result_id = ANY (%(ids)s) AND told.text IS NOT NULL
        AND jsonb_array_length(CASE jsonb_typeof(s.document -> 'storage_systems')
            WHEN 'array' THEN s.document -> 'storage_systems' ELSE '[]' END) = 1
"""

# What was counted in the published archive of a copied result, whose list prints nothing of it.
_OF_ARCHIVES = """
    SELECT r.id, told.name || '@archive', r.snapshot ->> ('measured_' || told.name), 1
    FROM registry_result r CROSS JOIN (VALUES ('client_nodes'), ('tasks')) AS told (name)
    WHERE r.id = ANY (%(ids)s) AND jsonb_typeof(r.snapshot -> ('measured_' || told.name)) = 'number'
"""

CONFIGURATION = "configuration"
"""The fact by which repeats of a run are found."""

# The same for runs of one system with the same version, scale, settings and described parameters, all of which have to
# be known: two unknown ones are not equal. Of verified results only: what others print of their settings is too little
# to tell that nothing else was changed. What a benchmark needs to be known is in its descriptor
# (registry/query/differences/alike.py); what stands in the contexts of all its numbers is known.
# Runs that were checked here and are not published (`checked`) tell as much.
_OF_CONFIGURATIONS = """
    SELECT r.id, 'configuration', md5(jsonb_build_array(
        r.system_id, r.tool, r.tool_version, r.mode, r.client_nodes, r.tasks, r.filesystem_type, r.filesystem_version,
        r.parameters - ARRAY(SELECT jsonb_array_elements_text(%(volatile)s::jsonb -> r.tool)),
        (SELECT jsonb_agg(jsonb_build_array(o.parameter, o.key, o.role, o.text, o.instances)
                ORDER BY o.parameter, o.key, o.role, o.text)
            FROM registry_observedparameter o WHERE o.result_id = r.id))::text), 1
    FROM registry_result r
    WHERE r.id = ANY (%(ids)s) AND r.trust IN ('verified', 'checked') AND trim(r.tool_version) <> ''
        AND EXISTS (SELECT FROM registry_observedparameter o WHERE o.result_id = r.id)
        AND r.parameters - ARRAY(SELECT jsonb_array_elements_text(%(volatile)s::jsonb -> r.tool)) <> '{}'::jsonb
        AND NOT EXISTS (
            SELECT FROM jsonb_array_elements_text(coalesce(%(needed)s::jsonb -> r.tool, %(least)s::jsonb)) AS n (name)
            WHERE coalesce(CASE n.name WHEN 'client_nodes' THEN r.client_nodes WHEN 'tasks' THEN r.tasks END::text,
                    trim(r.parameters ->> n.name), '') = ''
                AND (NOT EXISTS (SELECT FROM registry_measurement m WHERE m.result_id = r.id) OR EXISTS (
                    SELECT FROM registry_measurement m
                    WHERE m.result_id = r.id AND coalesce(trim(m.context ->> n.name), '') = '')))
"""

_FACTS = f"""
    SELECT result_id, name, left(string_agg(text, '; ' ORDER BY instances DESC, text), 200) AS text
    FROM ({_OF_COLUMNS} UNION ALL {_OF_RUNS} UNION ALL {_OF_SYSTEMS} UNION ALL {_OF_MAPS}
        UNION ALL {_OF_DESCRIPTIONS} UNION ALL {_OF_STORAGE} UNION ALL {_OF_ARCHIVES} UNION ALL {_OF_CONFIGURATIONS})
        AS told
    GROUP BY result_id, name
"""  # noqa: S608  # made of the constants above

_INDEX = f"INSERT INTO {{facts}} (result_id, name, text) {_FACTS}"

_NAMED = """
    SELECT DISTINCT ON (f.result_id, axis.name) f.result_id, axis.name, f.text
    FROM registry_fact f
    JOIN unnest(%(names)s::text[], %(sources)s::text[], %(places)s::int[]) AS axis (name, source, place)
        ON axis.source = f.name
    WHERE f.result_id = ANY (%(ids)s)
    ORDER BY f.result_id, axis.name, axis.place
"""

_NAME = f"INSERT INTO {{facts}} (result_id, name, text) {_NAMED} ON CONFLICT (result_id, name) DO NOTHING"

_DIFFERENCES = f"""
    WITH made AS ({_FACTS}), named AS ({_NAMED.replace("registry_fact f", "made f")}),
    expected AS (
        SELECT result_id, name, text FROM made
        UNION ALL SELECT result_id, name, text FROM named n
            WHERE NOT EXISTS (SELECT FROM made m WHERE m.result_id = n.result_id AND m.name = n.name)),
    stored AS (SELECT result_id, name, text FROM registry_fact WHERE result_id = ANY (%(ids)s))
    SELECT r.public_id, name, stored.text, expected.text
    FROM stored FULL JOIN expected USING (result_id, name) JOIN registry_result r ON r.id = result_id
    WHERE stored.text IS DISTINCT FROM expected.text
    ORDER BY r.id, name
"""  # noqa: S608  # made of the constants above

BATCH = 10_000


def rebuild_facts(result_ids: Iterable[int], source: RowSource = PUBLIC, stored: type[Model] = Fact) -> None:
    """Write the facts of these results of a source anew, into the table of `stored`."""
    ids, bound = list(result_ids), _bound_values()
    table = stored._meta.db_table
    index, named = _INDEX.replace("{facts}", table), _NAME.replace("{facts}", table)
    with connection.cursor() as cursor:
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            stored._default_manager.filter(result_id__in=batch).delete()
            cursor.execute(source.source_statement(index), bound | {"ids": batch})
            cursor.execute(source.source_statement(named), bound | {"ids": batch})


def fact_differences(result_ids: Iterable[int]) -> list[tuple[str, str, str | None, str | None]]:
    """(public id, name, stored text, text as the record makes it) of facts of these results that differ. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_DIFFERENCES, _bound_values() | {"ids": list(result_ids)})
        rows: list[tuple[str, str, str | None, str | None]] = cursor.fetchall()
        return rows


def _bound_values() -> dict[str, Any]:
    """What the statements take beside the keys of the results."""
    sources = [(axis.name, source, place) for axis in axes.list_axes() for place, source in enumerate(axis.reads)]
    tools = [benchmark.tool for benchmark in catalogue.benchmarks()]
    names, read, places = (list(column) for column in zip(*sources, strict=True))
    return {
        "columns": list(COLUMNS),
        "volatile": json.dumps({tool: sorted(configuration_diff.volatile_parameters([tool])) for tool in tools}),
        "needed": json.dumps({tool: alike.required_facts(tool) for tool in tools}),
        "least": json.dumps(alike.LEAST["scale"]),
        "names": names,
        "sources": read,
        "places": places,
    }


def facts_by_result(ids: Iterable[int], source: RowSource = PUBLIC) -> dict[int, dict[str, str]]:
    """By primary key of a result its facts, text by name, in the order of their names. One query."""
    facts_by_pk: dict[int, dict[str, str]] = {pk: {} for pk in ids}
    for pk, name, text in (
        source.table_rows(Fact).order_by("name").filter(result__in=facts_by_pk).values_list("result", "name", "text")
    ):
        facts_by_pk[pk][name] = text
    return facts_by_pk


def fact_names(source: RowSource = PUBLIC) -> list[str]:
    """Every name under which some result has a fact, in order."""
    return [name for (name,) in source.distinct_rows(Fact, ("name",))]
