"""Highwater in a notebook: results, studies, rankings and comparisons of a registry, as rows, frames and charts.

    import highwater
    registry = highwater.Registry("https://highwater.example")
    registry.study(metric="ior-easy-write.bandwidth.phase", x="client_nodes", tool="io500").pandas()

It needs Python 3.9 and nothing else; pandas and polars are imported when a frame of theirs is asked for.
"""

from highwater.answers import Phases, Ranking, Study, Table
from highwater.errors import Refused, UnknownValue, Unreachable
from highwater.registry import Registry
from highwater.version import VERSION as __version__

__all__ = [
    "Phases",
    "Ranking",
    "Refused",
    "Registry",
    "Study",
    "Table",
    "UnknownValue",
    "Unreachable",
    "__version__",
]
