"""Highwater in a notebook: results, studies, rankings and comparisons of a registry, as rows, frames and charts.

    import highwater
    registry = highwater.Registry("https://highwater.example")
    registry.study(metric="ior-easy-write.bandwidth.phase", x="client_nodes", tool="io500").pandas()

It needs Python 3.9 and nothing else; pandas and polars are imported when a frame of theirs is asked for.
"""

from highwater.answers import Ranking, Study, Table
from highwater.registry import Refused, Registry, Unreachable

__all__ = ["Ranking", "Refused", "Registry", "Study", "Table", "Unreachable"]
