"""Addresses of the public read API, below /api/v1/."""

from django.urls import path

from registry.api import citations, comparisons, machine, parameters, releases, studies, views

urlpatterns = [
    path("", views.Index.as_view(), name="api-index"),
    path("releases/", views.ReleaseList.as_view(), name="api-releases"),
    path("releases/<str:release>/", views.ReleaseDetail.as_view(), name="api-release"),
    path("releases/<str:release>/awards/", releases.ReleaseAwards.as_view(), name="api-release-awards"),
    path("lists/", views.RankedListList.as_view(), name="api-lists"),
    path("lists/<str:release>/<str:list>/", views.RankedListDetail.as_view(), name="api-list"),
    path("analysis/<str:list>/", releases.ListAnalysis.as_view(), name="api-analysis"),
    path("lists/<str:release>/<str:list>/citation/", citations.ListCitation.as_view(), name="api-list-citation"),
    path("results/", views.ResultList.as_view(), name="api-results"),
    path("results/<str:id>/", views.ResultDetail.as_view(), name="api-result"),
    path("results/<str:id>/citation/", citations.ResultCitation.as_view(), name="api-result-citation"),
    path("results/<str:id>/files/", views.ResultFiles.as_view(), name="api-result-files"),
    path("results/<str:id>/distributions/", views.ResultDistributions.as_view(), name="api-result-distributions"),
    path("results/<str:id>/system/", views.ResultSystem.as_view(), name="api-result-system"),
    path("results/<str:id>/system/<str:form>/", views.ResultSystemForm.as_view(), name="api-result-system-form"),
    path("compare/", comparisons.Comparison.as_view(), name="api-compare"),
    path("studies/", studies.StudyList.as_view(), name="api-studies"),
    path("studies/<str:slug>/", studies.StudyDetail.as_view(), name="api-study-curated"),
    path("study/", studies.Study.as_view(), name="api-study"),
    path("study/metrics/", studies.MetricList.as_view(), name="api-study-metrics"),
    path("study/axes/", studies.AxisList.as_view(), name="api-study-axes"),
    path("systems/", views.SystemList.as_view(), name="api-systems"),
    path("systems/<str:slug>/", views.SystemDetail.as_view(), name="api-system"),
    path("sites/", views.SiteList.as_view(), name="api-sites"),
    path("sites/<str:slug>/", views.SiteDetail.as_view(), name="api-site"),
    path("platforms/", views.PlatformList.as_view(), name="api-platforms"),
    path("platforms/<str:slug>/", views.PlatformDetail.as_view(), name="api-platform"),
    path("schemas/", machine.SchemaList.as_view(), name="api-schemas"),
    path("schemas/<str:name>/", machine.SchemaDetail.as_view(), name="api-schema"),
    path("questionnaires/", machine.QuestionnaireList.as_view(), name="api-questionnaires"),
    path("questionnaires/<str:name>/", machine.QuestionnaireDetail.as_view(), name="api-questionnaire"),
    path("rules/", machine.RuleList.as_view(), name="api-rules"),
    path("benchmarks/", machine.BenchmarkList.as_view(), name="api-benchmarks"),
    path("parameters/", parameters.ParameterList.as_view(), name="api-parameters"),
    path("parameters/<str:id>/", parameters.ParameterDetail.as_view(), name="api-parameter"),
    path("openapi.json", machine.OpenAPI.as_view(), name="api-openapi"),
]
