"""Waits until the programs of `up` that no browser reaches have answered through the broker; prints each that has.

Run by `up` inside the environment: `python answers.py NAME=PID...`, with BROKER_URL. A worker answers a question of
Celery's; the scheduler leaves a note with its process id whenever it sent a task (registry/celery.py). Ends with status
0 once all have.
"""

import json
import os
import sys
import time

from celery import Celery
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

SCHEDULER = "scheduler"
# registry/celery.py writes it.
NOTE = "highwater.scheduler"
PATIENCE = {"socket_timeout": 5, "socket_connect_timeout": 2}


def main(programs: dict[str, int]) -> None:
    """Print the name of each program as soon as its process answers over the broker; return when all have.

    `programs` gives each name its process id. A broker that does not answer is asked again.
    """
    app = Celery(broker=os.environ["BROKER_URL"])
    app.conf.broker_transport_options = PATIENCE
    silent = dict(programs)
    while silent:
        try:
            answered = find_answering(app, any(name != SCHEDULER for name in silent))
        except (OperationalError, RedisError, OSError):
            answered = set()  # the broker may be starting again
        for name in [name for name, process in silent.items() if process in answered]:
            print(name, flush=True)
            del silent[name]
        if silent:
            time.sleep(0.1)


def find_answering(app: Celery, workers: bool) -> set[int]:
    """Process ids of the workers that answer now, and of the scheduler whose note lies in the broker."""
    processes = set()
    if workers:
        replies = app.control.broadcast("stats", reply=True, timeout=0.5) or []
        processes |= {stats["pid"] for reply in replies for stats in reply.values() if "pid" in stats}
    with app.connection_for_read() as broker:
        note = broker.default_channel.client.get(NOTE)
    return processes | ({json.loads(note)["process"]} if note else set())


if __name__ == "__main__":
    main({name: int(process) for name, _, process in (argument.rpartition("=") for argument in sys.argv[1:])})
