"""Addresses of the public pages."""

from django.conf import settings
from django.urls import path

from registry.views import (
    analyses,
    badges,
    ceilings,
    certificates,
    collector,
    comparisons,
    documentation,
    feeds,
    files,
    home,
    lists,
    operations,
    parameters,
    preferences,
    releases,
    results,
    search,
    sites,
    studies,
    systems,
)

urlpatterns = [
    path("healthz", operations.healthz, name="healthz"),
    path("metrics", operations.metrics, name="metrics"),
    path("robots.txt", collector.robots, name="robots"),
    path("", home.home, name="home"),
    path("lists/", lists.index, name="lists"),
    path("lists/feed.atom", feeds.lists, name="lists-feed"),
    path("releases/feed.atom", feeds.releases, name="releases-feed"),
    path("lists/<str:release>/", lists.release_lists, name="release-lists"),
    path("lists/<str:release>/<str:name>/", lists.ranked_list, name="list"),
    path("lists/<str:release>/<str:name>/badge.svg", badges.ranked_list, name="list-badge"),
    path("analysis/", analyses.index, name="analyses"),
    path("analysis/<str:name>/", analyses.analysis, name="analysis"),
    path("releases/", releases.index, name="releases"),
    path("releases/<str:release>/", releases.release, name="release"),
    path(
        "releases/<str:release>/awards/<str:name>/<str:award>/certificate.<str:form>",
        certificates.certificate,
        name="certificate",
    ),
    path("releases/<str:release>/awards/<str:name>/<str:award>/badge.svg", badges.award, name="award-badge"),
    path("results/", results.index, name="results"),
    path("results/<str:public_id>/", results.detail, name="result"),
    path("results/<str:public_id>/badge.svg", badges.result, name="result-badge"),
    path("results/<str:public_id>/copy.tar.gz", files.published_copy, name="result-copy"),
    path("compare/", comparisons.page, name="compare"),
    path("studies/", studies.index, name="studies"),
    path("studies/<str:slug>/", studies.study, name="study"),
    path("study/", studies.question, name="study-question"),
    path("systems/", systems.index, name="systems"),
    path("systems/<str:slug>/", systems.system, name="system"),
    path("platforms/<str:slug>/", systems.platform, name="platform"),
    path("sites/", sites.index, name="sites"),
    path("sites/<str:slug>/", sites.site, name="site"),
    path("hardware/", ceilings.catalogue, name="hardware"),
    path("parameters/", parameters.index, name="parameters"),
    path("parameters/<str:id>/", parameters.page, name="parameter"),
    path("search/", search.search, name="search"),
    path("docs/", documentation.index, name="docs"),
    path("docs/rules/", documentation.rules, name="docs-rules"),
    path("docs/<path:slug>/", documentation.page, name="docs-page"),
    path("preferences/", preferences.preferences, name="preferences"),
]

if not settings.PUBLIC_ONLY:
    urlpatterns += [
        path("collector/", collector.page, name="collector"),
        path("collector/highwater.pyz", collector.download, name="collector-file"),
        path("collector/<str:name>.whl", collector.wheel, name="collector-wheel"),
        path("collector/highwater.pyz.sha256", collector.checksum, name="collector-checksum"),
    ]
