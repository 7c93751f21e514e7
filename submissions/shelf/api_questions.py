"""The questions of the record that may be asked of shelved runs too."""

from registry.comparison import api as comparison_api
from registry.platforms import api_generations
from registry.results import api as results_api
from registry.site_pages.search import api as search_api
from registry.studies import api as studies_api
from registry.studies import api_rankings
from registry.timeseries import api_series, api_sweeps
from submissions.shelf.api_base import ask_scoped

RESULTS = ask_scoped(results_api.ResultList)
COMPARE = ask_scoped(comparison_api.Comparison)
STUDY = ask_scoped(studies_api.Study)
RANKING = ask_scoped(api_rankings.RankingView)
HISTORY = ask_scoped(api_series.SystemHistory)
SIZING = ask_scoped(api_generations.Sizing)
SEARCH = ask_scoped(search_api.Search)
SWEEP = ask_scoped(api_sweeps.SystemSweep)
