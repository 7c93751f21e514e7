"""Write docs/parameters.md from the registry of parameters; a test holds both equal.

./dev.py exec python -m tools.parameters_page
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from validators.parameters import Parameter, groups, parameters

PAGE = Path(__file__).resolve().parent.parent / "docs" / "parameters.md"

HEAD = """# Parameters

Find a parameter by its group: what it means, its unit, where it is read, and what of it leaves the site. These are all
values that the collector can record of a node, a job or a storage system. [Each has a page](/parameters/) with the
default of each Lustre release. `highwater.pyz explain ID` prints the same, and `GET /api/v1/parameters/` returns it.

For each parameter that applies to it, a node records a value or the reason why there is none. The reasons are
`not_applicable`, `not_installed`, `permission_denied`, `timeout`, `output_limit`, `parse_error`, `redacted`, `disabled`
or `unsupported_version`.

| column | means |
|---|---|
| read from | files first; a command is another source of the same value |
| read by | everybody (`none`), `root`, a `group`, the management controller (`bmc`), an `admin` of another system |
| leaves | what of it leaves the site, by the words below |

`highwater.pyz list-probes` lists what the collector itself reads and runs.

| word | means |
|---|---|
| `keep` | as it is |
| `allowlist` | known entries only |
| `basename` | file names without folders |
| `pseudonym` | names are replaced by pseudonyms, whose key stays at the site |
| `drop` | what identifies is left out |
| `attachment` | a file that the site may add |
| `never` | not read at all |

This page is made from `validators/parameters/parameters.1.json` with `./dev.py exec python -m tools.parameters_page`.
"""

COLUMNS = "| parameter | meaning | unit | read from | read by | leaves |\n|---|---|---|---|---|---|\n"


def page() -> str:
    return HEAD + "".join(section(group, title) for group, title in groups().items())


def section(group: str, title: str) -> str:
    rows = "".join(row(parameter) for parameter in parameters().values() if parameter.group == group)
    return f"\n## {title}\n\n{COLUMNS}{rows}"


def row(param: Parameter) -> str:
    sources = "; ".join(sources_of(param))
    unit = "" if param.unit == "none" else param.unit
    return f"| `{param.id}` | {param.meaning} | {unit} | {sources} | `{param.privilege}` | `{param.redaction}` |\n"


def sources_of(parameter: Parameter) -> Iterator[str]:
    for place in parameter.paths:
        yield f"`{place.path}`" + (f" (Lustre {place.releases})" if place.releases else "")
    if parameter.command:
        yield f"`{parameter.command}`"
    if parameter.reason:
        yield parameter.reason


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
