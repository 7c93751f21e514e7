"""From an import to the shelf on a real registry: where its runs are, and that they answer by their ids."""

from __future__ import annotations

import json
from typing import Any

from tests.flows.conftest import RunningSite, wait_until
from tests.make_fio import make_output

RUNS = 20


def test_the_address_that_an_import_prints_lists_its_runs(site: RunningSite, tmp_path) -> None:
    tree = tmp_path / "tree"
    for number in range(RUNS):
        path = tree / f"day{number // 10}" / f"fio-{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make_output(1 + number, bs=f"{1 + number}k"))
    tokens = site.tokens(**{"shelf-nora": ["--institution", "shelflab"], "shelf-otto": ["--institution", "otherlab"]})

    def ask(*arguments: object, person: str = "shelf-nora") -> Any:
        done = site.collector(*arguments, "--json", token=tokens[person])
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    [row] = ask("import", "tree", tree)["submissions"]
    assert row["shelf"] == f"{site.url.rstrip('/')}/shelf/?submission={row['id']}"
    wait_until(lambda: ask("status", row["id"][:8])["shelf_runs"] == RUNS)
    runs = ask("list", "--scope", "own")["submissions"]
    assert {run["run"] for run in runs} == {str(path.relative_to(tmp_path)) for path in tree.rglob("*.json")}
    first, second = runs[0], runs[-1]
    assert ask("show", first["id"][:12], "--scope", "own")["run"] == first["run"]
    compared = ask("compare", first["id"][:12], second["id"][:12], "--scope", "own")
    assert [result["id"] for result in compared["results"]] == [first["id"], second["id"]]
    assert ask("group", row["id"][:8], "--project", "Acceptance") == {"runs": RUNS}
    assert ask("group", first["id"][:12], "--label", "tuned", "--label", "8 MiB") == {"runs": 1}
    assert len(ask("list", "--project", "acceptance", "--limit", "0")["submissions"]) == RUNS
    [tuned] = ask("list", "--label", "tuned")["submissions"]
    assert (tuned["id"], tuned["project"], tuned["labels"]) == (first["id"], "Acceptance", ["tuned", "8 MiB"])
    assert ask("open", first["id"][:12])["url"] == f"{site.url}shelf/runs/{first['id']}/"
    assert ask("list", "--scope", "own", person="shelf-otto")["submissions"] == []
    more = {"compare": [second["id"]], "group": ["--project", "Mine"]}
    for verb in ("show", "open", "compare", "group"):
        refused = site.collector(verb, first["id"][:12], *more.get(verb, ()), token=tokens["shelf-otto"])
        assert refused.returncode == 2, verb
        assert first["run"] not in refused.stdout + refused.stderr


def test_runs_of_the_shelf_predict_the_next_one(site: RunningSite, tmp_path) -> None:
    """Six nights of one experiment on a system that only its laboratory knows; then one as before, and a slow one."""
    nights = tmp_path / "nights"
    nights.mkdir()
    for night in range(6):
        output = json.loads(make_output(400 + night % 3))
        output["timestamp"] += 86_400 * night
        (nights / f"night-{night}.json").write_text(json.dumps(output))
    metadata = tmp_path / "metadata.json"
    metadata.write_text('{"system": "Night", "client_nodes": 1}')
    token = site.token("night-nora", institution="nightlab")
    done = site.collector("import", "tree", nights, "--metadata", metadata, "--json", token=token)
    assert done.returncode == 0, done.stderr
    [row] = json.loads(done.stdout)["submissions"]

    def on_shelf() -> bool:
        return bool(json.loads(site.collector("status", row["id"], "--json", token=token).stdout)["shelf_runs"] == 6)

    wait_until(on_shelf)
    for rate, status in ((401, 0), (300, 1)):
        now = tmp_path / f"now-{rate}.json"
        now.write_bytes(make_output(rate))
        done = site.collector("gate", now, "--baseline", "nightlab-night", "--scope", "own", token=token)
        assert done.returncode == status, done.stdout + done.stderr
    assert site.collector("gate", now, "--baseline", "nightlab-night", token=token).returncode == 2, "not public"
    runs = json.loads(site.collector("list", "--scope", "own", "--json", token=token).stdout)["submissions"]
    by_night = {run["run"][-6:-5]: run["id"] for run in runs}
    alike = site.collector("gate", by_night["4"], "--baseline", by_night["3"][:13], "--tolerance", "5", token=token)
    assert alike.returncode == 0, alike.stdout + alike.stderr
    slower = site.collector("gate", now, "--baseline", by_night["3"], "--tolerance", "5", token=token)
    assert slower.returncode == 1, slower.stdout + slower.stderr
    other = site.token("night-otto", institution="othernight")
    refused = site.collector("gate", now, "--baseline", by_night["3"], token=other)
    assert refused.returncode == 2, refused.stdout + refused.stderr
