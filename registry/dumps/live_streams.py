"""How many files are made while they are sent: each keeps a thread and a connection until it is read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from registry.errors import Problem

AT_ONCE = 2
"""Of one web process."""


class TooManyStreams(Problem):
    status = 503
    code = "export.busy"
    title = "Too many files are being made at the moment"
    hint = "Ask again in a minute, or download the full export, which is ready and has no filter."
    retry_after_s = 60


class LiveStreams:
    """Turns to send what is made meanwhile; whoever finds none is refused at once."""

    def __init__(self, most: int = AT_ONCE) -> None:
        self._turns = threading.BoundedSemaphore(most)

    def begin_stream(self, make: Callable[[], Iterator[bytes]]) -> LiveStream:
        """What `make` gives, with a turn that lasts until it is closed.

        Raises TooManyStreams where all turns are taken.
        """
        if not self._turns.acquire(blocking=False):
            raise TooManyStreams
        return LiveStream(make(), self._turns.release)


class LiveStream:
    """Pieces of a file; closing it, read or not, gives its turn back once."""

    def __init__(self, pieces: Iterator[bytes], give_back: Callable[[], None]) -> None:
        self._pieces, self._give_back, self._is_open = pieces, give_back, True

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Give the turn back; again does nothing."""
        if self._is_open:
            self._is_open = False
            self._give_back()

    def __del__(self) -> None:
        """An answer that nobody closes, as of a request that failed after it was made, keeps no turn for ever."""
        self.close()


STREAMS_OF_PROCESS = LiveStreams()
