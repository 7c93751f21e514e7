"""Rankings of one's own: results in the order of a formula over their numbers and parameters. None of them is official.

question.py reads what is asked, inputs.py and dimensions.py say where the numbers are and what unit comes out, and
asking.py asks the record.
"""

from registry.own_rankings.asking import INPUT, Answer, ask, document
from registry.own_rankings.inputs import NotRanked
from registry.own_rankings.question import MOST_ROWS, NAMES, ORDERS, USUAL_ROWS, Question, read, read_address

__all__ = [
    "INPUT",
    "MOST_ROWS",
    "NAMES",
    "ORDERS",
    "USUAL_ROWS",
    "Answer",
    "NotRanked",
    "Question",
    "ask",
    "document",
    "read",
    "read_address",
]
