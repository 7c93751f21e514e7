"""The Python client as a wheel, which the site serves."""

from pathlib import Path

from launcher import wheels

CHECKOUT = Path(__file__).resolve().parent.parent
SUMMARY = "Results, studies and rankings of a Highwater registry as rows, frames and charts"


def wheel(checkout: Path = CHECKOUT) -> tuple[str, bytes]:
    """File name and bytes: the same for the same sources, on every machine."""
    folder = checkout / "highwater"
    paths = sorted([*folder.glob("*.py"), folder / "py.typed"])
    members = {path.relative_to(checkout).as_posix(): path.read_bytes() for path in paths}
    version = wheels.read_version(members["highwater/version.py"])
    return wheels.wheel("highwater-client", version, SUMMARY, ">=3.9", members)
