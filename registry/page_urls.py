"""Addresses of the public pages."""

from django.conf import settings
from django.urls import path, re_path

from registry.comparison import views as comparison_views
from registry.lists import views as lists_views
from registry.lists import views_analysis, views_badges, views_certificates, views_releases
from registry.lists.reconstruction import views as reconstruction_views
from registry.log import views as log_views
from registry.parameters import views as parameters_views
from registry.parameters import views_shared
from registry.platforms import views_ceilings, views_generations
from registry.results import archive_download, views_among, views_demonstration, views_distributions
from registry.results import views as results_views
from registry.results.explore import views as explore_views
from registry.results.recipes import views as recipe_views
from registry.site_pages import (
    about,
    documentation,
    downloads_client,
    downloads_collector,
    feeds,
    health,
    home,
    sitemaps,
)
from registry.site_pages.search import views as search_views
from registry.site_pages.tour import views as tour_views
from registry.studies import curated, views_rankings
from registry.studies import views as studies_views
from registry.systems import views as systems_views
from registry.systems import views_sites
from registry.timeseries import views_series, views_sweeps
from registry.web import preferences, tray

SITEMAP = {
    "sections": sitemaps.RECORD
    | {"studies": sitemaps.PathSection(lambda: (f"/studies/{slug}/" for slug in curated.load_studies()))}
}

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("healthz", health.readyz, name="healthz"),
    path("metrics", health.metrics, name="metrics"),
    path("robots.txt", downloads_collector.robots, name="robots"),
    path("sitemap.xml", sitemaps.sitemap_index, SITEMAP, name="sitemap"),
    path("sitemap-<slug:section>.xml", sitemaps.sitemap_section, SITEMAP, name="sitemap-section"),
    path("", home.home_page, name="home"),
    path("about/", about.about_page, name="about"),
    path("log/", log_views.log_page, name="log"),
    path("log/checkpoint", log_views.checkpoint_file, name="log-checkpoint"),
    path("log/key", log_views.key_file, name="log-key"),
    path("log/tile/<path:path>", log_views.tile_file, name="log-tile"),
    path("lists/", lists_views.list_index, name="lists"),
    path("lists/feed.atom", feeds.lists, name="lists-feed"),
    path("releases/feed.atom", feeds.releases, name="releases-feed"),
    path("lists/<str:release>/", lists_views.release_lists, name="release-lists"),
    path("lists/<str:release>/<str:name>/", lists_views.ranked_list, name="list"),
    path(
        "lists/<str:release>/<str:name>/reconstructed/",
        reconstruction_views.reconstructed_list,
        name="reconstructed-list",
    ),
    path("lists/<str:release>/<str:name>/badge.svg", views_badges.ranked_list, name="list-badge"),
    path("lists/<str:release>/<str:name>/card.png", views_badges.list_card, name="list-card"),
    path("analysis/", views_analysis.analysis_index, name="analyses"),
    path("analysis/<str:name>/", views_analysis.analysis_page, name="analysis"),
    path("releases/", views_releases.release_index, name="releases"),
    path("releases/<str:release>/", views_releases.release_page, name="release"),
    path(
        "releases/<str:release>/awards/<str:name>/<str:award>/certificate.<str:form>",
        views_certificates.certificate_page,
        name="certificate",
    ),
    path(
        "releases/<str:release>/awards/<str:name>/<str:award>/badge.svg", views_badges.award_badge, name="award-badge"
    ),
    path("explore/", explore_views.explore_page, name="explore"),
    path("results/", results_views.index, name="results"),
    re_path(
        r"^results/(?P<public_id>demo-[1-9][0-9]{0,8})/$",
        views_demonstration.demonstration_page,
        name="demonstration-run",
    ),
    path("results/<str:public_id>/", results_views.detail, name="result"),
    path("results/<str:public_id>/among/", views_among.among_page, name="result-among"),
    path("results/<str:public_id>/recipe.sh", recipe_views.recipe_script, name="result-recipe"),
    path("results/<str:public_id>/badge.svg", views_badges.result_badge, name="result-badge"),
    path("results/<str:public_id>/card.png", views_badges.result_card, name="result-card"),
    path("results/<str:public_id>/copy.tar.gz", archive_download.published_copy, name="result-copy"),
    path("results/<str:public_id>/members/", views_distributions.of_result, name="result-members"),
    path("stragglers/", views_distributions.calculator_page, name="stragglers"),
    path("compare/", comparison_views.comparison_page, name="compare"),
    path("compare/keep/", tray.keep_results, name="keep-results"),
    path("studies/", studies_views.study_index, name="studies"),
    path("studies/<str:slug>/", studies_views.study_page, name="study"),
    path("studies/<str:slug>/card.png", studies_views.study_card, name="study-card"),
    path("study/", studies_views.question_page, name="study-question"),
    path("rankings/", views_rankings.ranking_index, name="rankings"),
    path("rankings/<str:slug>/", views_rankings.ranking_page, name="ranking"),
    path("ranking/", views_rankings.question_page, name="ranking-question"),
    path("systems/", systems_views.system_index, name="systems"),
    path("systems/<str:slug>/", systems_views.system_page, name="system"),
    path("systems/<str:slug>/history/", views_series.history_page, name="system-history"),
    path("systems/<str:slug>/history/feed.atom", feeds.steps, name="system-history-feed"),
    path("systems/<str:slug>/sweep/", views_sweeps.sweep_page, name="system-sweep"),
    path("generations/", views_generations.line_index, name="lines"),
    path("generations/<str:slug>/", views_generations.line_page, name="line"),
    path("sizing/", views_generations.sizing_page, name="sizing"),
    path("platforms/", systems_views.platform_index, name="platforms"),
    path("platforms/<str:slug>/", systems_views.platform_page, name="platform"),
    path("sites/", views_sites.site_index, name="sites"),
    path("sites/<str:slug>/", views_sites.site_page, name="site"),
    path("hardware/", views_ceilings.catalogue_page, name="hardware"),
    path("parameters/", parameters_views.parameter_index, name="parameters"),
    path("parameters/shared/", views_shared.shared_page, name="parameters-shared"),
    path("parameters/<str:id>/", parameters_views.parameter_page, name="parameter"),
    path("tour/", tour_views.tour_page, name="tour"),
    path("tour/<str:path>/", tour_views.tour_page, name="tour-screen"),
    path("search/", search_views.search_page, name="search"),
    path("docs/", documentation.documentation_index, name="docs"),
    path("docs/rules/", documentation.rules_page, name="docs-rules"),
    path("docs/<path:slug>.md", documentation.documentation_source, name="docs-source"),
    path("docs/<path:slug>/", documentation.documentation_page, name="docs-page"),
    path("client/", downloads_client.client_page, name="client"),
    path("client/<str:name>.whl", downloads_client.client_wheel, name="client-wheel"),
    path("preferences/", preferences.set_preferences, name="preferences"),
]

if not settings.PUBLIC_ONLY:
    urlpatterns += [
        path("collector/", downloads_collector.collector_page, name="collector"),
        path("collector/highwater.pyz", downloads_collector.download_collector, name="collector-file"),
        path("collector/<str:name>.whl", downloads_collector.collector_wheel, name="collector-wheel"),
        path("collector/highwater.pyz.sha256", downloads_collector.collector_checksum, name="collector-checksum"),
    ]
