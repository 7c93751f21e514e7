"""The cage: hostile bytes are read in a process that has no secret, no network, no files, and bounded time and memory.

- `client.py` is asked by the worker: it starts the warm process, hands over open files, and reads one answer.
- `server.py` is the warm process, started with an empty environment; it forks a child for each job.
- `confinement.py` takes rights away from the child before it reads anything (decision 71).
- `jobs.py` says what a child can be asked for. Nothing in it imports Django.
"""
