"""What stands behind `./dev.py`: an environment, a PostgreSQL, a Valkey, and the registry's three processes.

Standard library only. In the order of a start: `cli` reads the command, `commands` tells its story, `state` is the
folder it works in, `environment` installs the packages, `databases` starts PostgreSQL and Valkey, `prepare` (which runs
inside the environment) fills them, `site` runs web, worker and scheduler, `processes` sees to it that all of them end.
"""
