"""fio: bandwidth, operations per second and latency of jobs that a job file or command line describes."""
