"""The old name of `validators.rank_tables`, for benchmark folders of others. It goes with the next release."""

from validators.rank_tables import *  # noqa: F403
