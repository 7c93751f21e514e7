"""The old name of `validators.launcher_output`, for benchmark folders of others. It goes with the next release."""

from validators.launcher_output import *  # noqa: F403
