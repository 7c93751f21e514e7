"""Make a database ready to serve: reach it and the broker, then run management commands in one process.

Run by `up` inside the environment, with the settings of the registry: `python prepare.py "COMMAND [OPTIONS]"...`. Exit
status 3 and one line on standard error if a server cannot be reached, 1 and one line for a setting that is not valid;
the commands of Django tell their own errors.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import django  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import OperationalError, connection  # noqa: E402
from kombu.connection import Connection  # noqa: E402
from kombu.exceptions import KombuError  # noqa: E402
from redis.exceptions import RedisError  # noqa: E402

UNREACHABLE = 3


def main(commands: list[str]) -> None:
    """Reach both servers, then run each command without asking questions."""
    try:
        django.setup()
    except ImproperlyConfigured as error:
        sys.exit(f"the settings are not valid: {error}")
    reach_database()
    reach_broker()
    for command, *options in map(str.split, commands):
        call_command(command, *options, *(["--no-input"] if command == "migrate" else []), verbosity=0)


def reach_database() -> None:
    try:
        connection.ensure_connection()
    except OperationalError as error:
        refuse("DATABASE_URL", error)


def reach_broker() -> None:
    # The whole URL holds the password; kombu's own form of it does not.
    broker = Connection(settings.CELERY_BROKER_URL, transport_options=settings.CELERY_BROKER_TRANSPORT_OPTIONS)
    try:
        broker.ensure_connection(max_retries=1, timeout=5)
    except (KombuError, RedisError, OSError) as error:
        refuse("BROKER_URL", error, broker.as_uri())


def refuse(name: str, error: Exception, place: str = "") -> None:
    """End with one line that names the setting and the reason, without a password."""
    print(f"cannot reach the server of {name} {place}: {' '.join(str(error).split())}", file=sys.stderr)
    sys.exit(UNREACHABLE)


if __name__ == "__main__":
    main(sys.argv[1:])
