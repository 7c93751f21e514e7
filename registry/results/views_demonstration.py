"""The page of one run of the demonstration: what was read, checked and described, without rank or citation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.platforms import ceilings
from registry.platforms import views_ceilings as ceiling_page
from registry.presentation.parameter_table import build_parameter_table
from registry.presentation.system_description import system_context
from registry.query import demonstration
from registry.results import page_lead, repeats_table, run_page, views
from registry.web.caching import public_page
from validators import catalogue


@public_page
def demonstration_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """One made-up run. Raises NotOnRecord where the demonstration is not loaded, or has none of that id."""
    (run,) = demonstration.read_runs([public_id])
    result, document = demonstration.as_result(run), run.system_document
    phases = views.phase_rows(run.measurements, {})
    unphased = [] if phases else run.measurements
    snapshot = run.snapshot
    efficiencies = ceilings.of_result(result, run.measurements, document)
    context = {
        "section": "results",
        "demonstration": run,
        "notice": demonstration.NOTICE,
        "tool": catalogue.tool_name(run.tool),
        "keys": views.keys(result),
        "leading": run_page.leading(run_page.with_tool(unphased, run.tool), run.parameters),
        "groups": views.groups(phases),
        "run": run_page.view(
            unphased, snapshot["distributions"], snapshot["tests"], run.parameters, (run.tool, run.tool_version)
        ),
        "repeats": repeats_table.repeats_context(result, run.measurements),
        "limit": page_lead.nearest_limit(efficiencies, None),
        "ceiling_columns": None if phases else page_lead.draw_ceiling_columns(efficiencies),
        "ceilings": ceiling_page.ceiling_table(ceilings.nearest_to_ceiling(efficiencies)),
        "findings": snapshot["findings"],
        "parameters": build_parameter_table(
            run.parameters, snapshot["parameter_sources"], snapshot["described_parameters"]
        ),
        "described": system_context(document, f"/api/v1/results/{public_id}/"),
    }
    return render(request, "results/demonstration.html", context)
