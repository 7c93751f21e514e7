"""Addresses of the public pages."""

from django.conf import settings
from django.urls import path

from registry.comparison import views as comparison_views
from registry.lists import views as lists_views
from registry.lists import views_analysis, views_badges, views_certificates, views_releases
from registry.parameters import views as parameters_views
from registry.platforms import views_ceilings, views_generations
from registry.results import archive_download, views_distributions
from registry.results import views as results_views
from registry.site_pages import documentation, downloads_client, downloads_collector, feeds, health, home, search
from registry.studies import views as studies_views
from registry.studies import views_rankings
from registry.systems import views as systems_views
from registry.systems import views_sites
from registry.timeseries import views_series, views_sweeps
from registry.web import preferences

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("healthz", health.readyz, name="healthz"),
    path("metrics", health.metrics, name="metrics"),
    path("robots.txt", downloads_collector.robots, name="robots"),
    path("", home.home, name="home"),
    path("lists/", lists_views.index, name="lists"),
    path("lists/feed.atom", feeds.lists, name="lists-feed"),
    path("releases/feed.atom", feeds.releases, name="releases-feed"),
    path("lists/<str:release>/", lists_views.release_lists, name="release-lists"),
    path("lists/<str:release>/<str:name>/", lists_views.ranked_list, name="list"),
    path("lists/<str:release>/<str:name>/badge.svg", views_badges.ranked_list, name="list-badge"),
    path("analysis/", views_analysis.index, name="analyses"),
    path("analysis/<str:name>/", views_analysis.analysis, name="analysis"),
    path("releases/", views_releases.index, name="releases"),
    path("releases/<str:release>/", views_releases.release, name="release"),
    path(
        "releases/<str:release>/awards/<str:name>/<str:award>/certificate.<str:form>",
        views_certificates.certificate,
        name="certificate",
    ),
    path("releases/<str:release>/awards/<str:name>/<str:award>/badge.svg", views_badges.award, name="award-badge"),
    path("results/", results_views.index, name="results"),
    path("results/<str:public_id>/", results_views.detail, name="result"),
    path("results/<str:public_id>/badge.svg", views_badges.result, name="result-badge"),
    path("results/<str:public_id>/copy.tar.gz", archive_download.published_copy, name="result-copy"),
    path("results/<str:public_id>/members/", views_distributions.of_result, name="result-members"),
    path("stragglers/", views_distributions.calculator, name="stragglers"),
    path("compare/", comparison_views.page, name="compare"),
    path("studies/", studies_views.index, name="studies"),
    path("studies/<str:slug>/", studies_views.study, name="study"),
    path("study/", studies_views.question, name="study-question"),
    path("rankings/", views_rankings.index, name="rankings"),
    path("rankings/<str:slug>/", views_rankings.ranking, name="ranking"),
    path("ranking/", views_rankings.question, name="ranking-question"),
    path("systems/", systems_views.index, name="systems"),
    path("systems/<str:slug>/", systems_views.system, name="system"),
    path("systems/<str:slug>/history/", views_series.history, name="system-history"),
    path("systems/<str:slug>/history/feed.atom", feeds.steps, name="system-history-feed"),
    path("systems/<str:slug>/sweep/", views_sweeps.sweep, name="system-sweep"),
    path("generations/", views_generations.index, name="lines"),
    path("generations/<str:slug>/", views_generations.line, name="line"),
    path("sizing/", views_generations.size, name="sizing"),
    path("platforms/<str:slug>/", systems_views.platform, name="platform"),
    path("sites/", views_sites.index, name="sites"),
    path("sites/<str:slug>/", views_sites.site, name="site"),
    path("hardware/", views_ceilings.catalogue, name="hardware"),
    path("parameters/", parameters_views.index, name="parameters"),
    path("parameters/<str:id>/", parameters_views.page, name="parameter"),
    path("search/", search.search, name="search"),
    path("docs/", documentation.index, name="docs"),
    path("docs/rules/", documentation.rules, name="docs-rules"),
    path("docs/<path:slug>/", documentation.page, name="docs-page"),
    path("client/", downloads_client.page, name="client"),
    path("client/<str:name>.whl", downloads_client.wheel, name="client-wheel"),
    path("preferences/", preferences.preferences, name="preferences"),
]

if not settings.PUBLIC_ONLY:
    urlpatterns += [
        path("collector/", downloads_collector.page, name="collector"),
        path("collector/highwater.pyz", downloads_collector.download, name="collector-file"),
        path("collector/<str:name>.whl", downloads_collector.wheel, name="collector-wheel"),
        path("collector/highwater.pyz.sha256", downloads_collector.checksum, name="collector-checksum"),
    ]
