"""Rankings of one's own: results in the order of a formula over their numbers and parameters. None of them is official.

question.py reads what is asked, inputs.py and dimensions.py say where the numbers are and what unit comes out, and
asking.py asks the record.
"""

from registry.studies.custom_rankings.inputs import NotRanked
from registry.studies.custom_rankings.ranking_query import (
    MOST_ROWS,
    NAMES,
    ORDERS,
    USUAL_ROWS,
    RankingQuery,
    parse_query,
    read_address,
)
from registry.studies.custom_rankings.run import INPUT, FormulaRanking, ranking_document, run_ranking

__all__ = [
    "INPUT",
    "MOST_ROWS",
    "NAMES",
    "ORDERS",
    "USUAL_ROWS",
    "FormulaRanking",
    "NotRanked",
    "RankingQuery",
    "parse_query",
    "ranking_document",
    "read_address",
    "run_ranking",
]
