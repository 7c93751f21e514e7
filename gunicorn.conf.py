"""gunicorn's configuration: read by itself where the web server is started in this folder (docs/operate.md).

Processes and threads are set by the command that starts it.
"""

import gc
import os
import shutil
import tempfile
from pathlib import Path

from prometheus_client import values

worker_class = "registry.serving.worker.Worker"
workers = 2
threads = 6
# Clients per process that are connected at the same time. One that is slow or idle costs no thread.
worker_connections = 4000
backlog = 2048
keepalive = 5
timeout = 60
graceful_timeout = 30
control_socket_disable = True
# On a full disk a process could not be replaced: gunicorn makes a file for each, and ends where it cannot.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
# No proxy needs them; by default anybody who comes from loopback, and so everybody behind a proxy, may set SCRIPT_NAME.
forwarder_headers = ""

# The processes share their counts of requests through files in memory (registry/monitoring/request_counts.py).
if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="highwater-counts-", dir=worker_tmp_dir)
# The library chooses when it is loaded, which may have been before the line above.
values.ValueClass = values.get_value_class()


def pre_fork(server, worker):  # type: ignore[no-untyped-def]  # gunicorn calls it in the first process, before each other
    """Leave what is loaded alone: a collection would write to its pages, and each process would have a copy of them."""
    gc.collect()
    gc.freeze()


def on_exit(server):  # type: ignore[no-untyped-def]  # gunicorn calls it in the first process, when it ends
    if Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).name.startswith("highwater-counts-"):
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
