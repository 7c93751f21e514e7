"""Addresses of the public read API, below /api/v1/."""

from django.urls import path

from registry.citation import api as citation_api
from registry.comparison import api as comparison_api
from registry.distributions import api as distributions_api
from registry.dumps import api as dumps_api
from registry.lists import api as lists_api
from registry.lists import api_releases
from registry.lists.reconstruction import api as reconstruction_api
from registry.log import api as log_api
from registry.parameters import api as parameters_api
from registry.platforms import api_ceilings, api_generations
from registry.results import api as results_api
from registry.results.recipes import api as recipes_api
from registry.site_pages import api_index, api_meta
from registry.site_pages.search import api as search_api
from registry.studies import api as studies_api
from registry.studies import api_rankings
from registry.systems import api as systems_api
from registry.timeseries import api_series, api_sweeps

urlpatterns = [
    path("", api_index.IndexView.as_view(), name="api-index"),
    path("releases/", lists_api.ReleaseListView.as_view(), name="api-releases"),
    path("releases/<str:release>/", lists_api.ReleaseDetailView.as_view(), name="api-release"),
    path("releases/<str:release>/proof/", log_api.ReleaseProof.as_view(), name="api-release-proof"),
    path("releases/<str:release>/awards/", api_releases.ReleaseAwards.as_view(), name="api-release-awards"),
    path("lists/", lists_api.RankedListList.as_view(), name="api-lists"),
    path("lists/<str:release>/<str:list>/", lists_api.RankedListDetailView.as_view(), name="api-list"),
    path(
        "lists/<str:release>/<str:list>/reconstructed/",
        reconstruction_api.ReconstructedListView.as_view(),
        name="api-list-reconstructed",
    ),
    path("name-changes/", log_api.NameChangeList.as_view(), name="api-name-changes"),
    path("name-changes/<int:id>/", log_api.NameChangeDetail.as_view(), name="api-name-change"),
    path("name-changes/<int:id>/proof/", log_api.NameChangeProof.as_view(), name="api-name-change-proof"),
    path("analysis/<str:list>/", api_releases.ListAnalysis.as_view(), name="api-analysis"),
    path("lists/<str:release>/<str:list>/citation/", citation_api.ListCitation.as_view(), name="api-list-citation"),
    path("lists/<str:release>/<str:list>/proof/", log_api.ListProof.as_view(), name="api-list-proof"),
    path("results/", results_api.ResultList.as_view(), name="api-results"),
    path("results/<str:id>/", results_api.ResultDetailView.as_view(), name="api-result"),
    path("results/<str:id>/among/", results_api.ResultAmong.as_view(), name="api-result-among"),
    path("results/<str:id>/phases/", results_api.ResultPhases.as_view(), name="api-result-phases"),
    path("results/<str:id>/recipe/", recipes_api.ResultRecipe.as_view(), name="api-result-recipe"),
    path("results/<str:id>/citation/", citation_api.ResultCitation.as_view(), name="api-result-citation"),
    path("results/<str:id>/files/", results_api.ResultFiles.as_view(), name="api-result-files"),
    path("results/<str:id>/distributions/", results_api.ResultDistributions.as_view(), name="api-result-distributions"),
    path("results/<str:id>/ceilings/", api_ceilings.ResultCeilings.as_view(), name="api-result-ceilings"),
    path("results/<str:id>/proof/", log_api.ResultProof.as_view(), name="api-result-proof"),
    path("results/<str:id>/members/", distributions_api.ResultMembers.as_view(), name="api-result-members"),
    path("results/<str:id>/system/", results_api.ResultSystem.as_view(), name="api-result-system"),
    path("results/<str:id>/system/<str:form>/", results_api.ResultSystemForm.as_view(), name="api-result-system-form"),
    path("reproductions/<str:id>/", log_api.MarkDetail.as_view(), name="api-mark"),
    path("reproductions/<str:id>/proof/", log_api.MarkProof.as_view(), name="api-mark-proof"),
    path("compare/", comparison_api.Comparison.as_view(), name="api-compare"),
    path("studies/", studies_api.StudyList.as_view(), name="api-studies"),
    path("studies/<str:slug>/", studies_api.StudyDetail.as_view(), name="api-study-curated"),
    path("study/", studies_api.Study.as_view(), name="api-study"),
    path("study/metrics/", studies_api.MetricList.as_view(), name="api-study-metrics"),
    path("study/axes/", studies_api.AxisList.as_view(), name="api-study-axes"),
    path("export/", dumps_api.ExportList.as_view(), name="api-exports"),
    path("export/proof/", log_api.EditionProof.as_view(), name="api-export-proof"),
    path("export/<str:name>", dumps_api.ExportFile.as_view(), name="api-export"),
    path("ranking/", api_rankings.RankingView.as_view(), name="api-ranking"),
    path("rankings/", api_rankings.RankingList.as_view(), name="api-rankings"),
    path("rankings/<str:slug>/", api_rankings.RankingDetail.as_view(), name="api-ranking-saved"),
    path("systems/", systems_api.SystemList.as_view(), name="api-systems"),
    path("systems/<str:slug>/", systems_api.SystemDetailView.as_view(), name="api-system"),
    path("systems/<str:slug>/proof/", log_api.SystemProof.as_view(), name="api-system-proof"),
    path("systems/<str:slug>/history/", api_series.SystemHistory.as_view(), name="api-system-history"),
    path("systems/<str:slug>/sweep/", api_sweeps.SystemSweep.as_view(), name="api-system-sweep"),
    path("sites/", systems_api.SiteList.as_view(), name="api-sites"),
    path("sites/<str:slug>/", systems_api.SiteDetailView.as_view(), name="api-site"),
    path("sites/<str:slug>/proof/", log_api.SiteProof.as_view(), name="api-site-proof"),
    path("platforms/", systems_api.PlatformList.as_view(), name="api-platforms"),
    path("platforms/<str:slug>/", systems_api.PlatformDetailView.as_view(), name="api-platform"),
    path("platforms/<str:slug>/proof/", log_api.PlatformProof.as_view(), name="api-platform-proof"),
    path("hardware/", api_ceilings.Hardware.as_view(), name="api-hardware"),
    path("generations/", api_generations.LineList.as_view(), name="api-generations"),
    path("generations/<str:slug>/", api_generations.LineDetail.as_view(), name="api-line"),
    path("stragglers/", distributions_api.Stragglers.as_view(), name="api-stragglers"),
    path("sizing/", api_generations.Sizing.as_view(), name="api-sizing"),
    path("schemas/", api_meta.SchemaList.as_view(), name="api-schemas"),
    path("schemas/<str:name>/", api_meta.SchemaDetail.as_view(), name="api-schema"),
    path("questionnaires/", api_meta.QuestionnaireList.as_view(), name="api-questionnaires"),
    path("questionnaires/<str:name>/", api_meta.QuestionnaireDetail.as_view(), name="api-questionnaire"),
    path("rules/", api_meta.RuleList.as_view(), name="api-rules"),
    path("benchmarks/", api_meta.BenchmarkList.as_view(), name="api-benchmarks"),
    path("quantities/", api_meta.QuantityTable.as_view(), name="api-quantities"),
    path("parameters/", parameters_api.ParameterList.as_view(), name="api-parameters"),
    path("parameters/shared/", parameters_api.SharedParameters.as_view(), name="api-parameters-shared"),
    path("parameters/<str:id>/", parameters_api.ParameterDetailView.as_view(), name="api-parameter"),
    path("search/", search_api.Search.as_view(), name="api-search"),
    path("openapi.json", api_meta.OpenAPI.as_view(), name="api-openapi"),
]
