"""`fold`: what many nodes printed becomes one document, on any Python from 3.6."""

import json
import tarfile

import pytest

from collectors.document import drift, schema
from collectors.document.parameters import registry
from tests.collectors.nodes import client, emitted, node
from tests.unpacking import extract

CLIENT = "lustre-client-rhel8"
OVERLAYS = "lustre-client-rhel8-overlays"


def read(path):
    document = json.loads(path.read_text())
    assert list(schema.errors(document)) == []
    return document


def failed(document):
    return sorted(entry["reason"] for entry in document["captures"][0]["nodes_failed"])


def fold(collector, tmp_path, text, **options):
    (tmp_path / "nodes.txt").write_text(text)
    out = tmp_path / "system.json"
    done = collector("fold", tmp_path / "nodes.txt", "--out", out, **options)
    assert done.returncode == 0, done.stderr
    return done, read(out)


def test_lines_and_whole_documents_are_read(oldest_and_this_python, collector, tmp_path):
    (tmp_path / "lines.txt").write_text(emitted(client(1)) + "\n" + emitted(client(2)) + "\n")
    (tmp_path / "one.json").write_text(json.dumps(client(3), indent=2))
    done = collector(
        "fold",
        tmp_path / "lines.txt",
        tmp_path / "one.json",
        "--out",
        tmp_path / "system.json",
        python=oldest_and_this_python,
    )
    assert done.returncode == 0, done.stderr
    assert "3 nodes in 1 class, 0 outliers" in done.stderr
    assert read(tmp_path / "system.json")["node_classes"][0]["count"] == 3


@pytest.mark.parametrize(
    "label", ["node{}: ", "{}: ", "[{}] ", "[1,{}]<stdout>:", "[1,{}]<stdout>: ", "nid00{}-ib.site: "]
)
def test_labels_of_launchers_are_understood(collector, tmp_path, label):
    text = "".join(label.format(number) + emitted(client(number)) + "\n" for number in range(4))
    _done, document = fold(collector, tmp_path, text)
    assert (document["node_classes"][0]["count"], failed(document)) == (4, [])


def test_long_lines_that_a_launcher_broke_are_put_together(collector, tmp_path):
    """srun --label breaks what is longer than its buffer, and other ranks speak in between."""
    lines = [emitted(client(number)) for number in range(3)]
    # So that a part begins with the brace of an object within.
    size = lines[0].index('{"cpus"')
    pieces = []
    for start in range(0, max(map(len, lines)), size):
        pieces += [f"{number}: {line[start : start + size]}\n" for number, line in enumerate(lines)]
    _done, document = fold(collector, tmp_path, "".join(piece for piece in pieces if len(piece) > 4))
    assert (document["node_classes"][0]["count"], failed(document)) == (3, [])


def test_pieces_that_mpirun_tagged_within_a_line_are_put_together(collector, tmp_path):
    lines = [emitted(client(number)) + "\n" for number in range(2)]
    halves = [(line[:1500], line[1500:]) for line in lines]
    text = "".join(f"[1,{number}]<stdout>:{halves[number][part]}" for part in (0, 1) for number in (0, 1))
    _done, document = fold(collector, tmp_path, text)
    assert (document["node_classes"][0]["count"], failed(document)) == (2, [])


def test_other_output_of_nodes_is_counted_with_its_reason(collector, tmp_path):
    text = "\n".join(
        [
            "node1: Welcome to the machine",
            "node1: " + emitted(client(1)),
            "node2: bash: python3: command not found",
            "node3: " + emitted(client(3))[:-100],
            "node4: ssh: connect to host node4 port 22: Connection refused",
            "node5: Segmentation fault",
            "node6: \x00\x07\ufffd",
            "pdsh@login: node7: ssh exited with exit code 255",
            "node8: " + emitted(client(8)),
            'node9: {"schema_version": "1", "deep": ' + "[" * 100000 + "}",
            "node10: command timed out",
        ]
    )
    done, document = fold(collector, tmp_path, text)
    assert document["node_classes"][0]["members"] == ["m-00000001", "m-00000008"]
    assert failed(document) == [
        "crashed",
        "crashed",
        "invalid_output",
        "python_missing",
        "timeout",
        "truncated",
        "truncated",
        "unreachable",
    ]
    assert "8 failed" in done.stderr
    assert "node" not in json.dumps(document["captures"][0]["nodes_failed"]).replace("nodes", "")


def test_junk_between_unlabelled_documents_is_counted_once(collector, tmp_path):
    text = "Warning: old kernel\n" + emitted(client(1)) + "\nMOTD: be nice\n\n" + emitted(client(2)) + "\nbye\n"
    _done, document = fold(collector, tmp_path, text)
    assert (document["node_classes"][0]["count"], failed(document)) == (2, ["invalid_output"])


def test_nan_and_infinity_are_no_document(collector, tmp_path):
    broken = emitted(client(2)).replace('"duration_s":0.5', '"duration_s":NaN')
    assert "NaN" in broken
    _done, document = fold(collector, tmp_path, emitted(client(1)) + "\n" + broken + "\n")
    assert failed(document) == ["truncated"]


def test_a_file_of_junk_ends_with_nothing_collected(collector, tmp_path):
    (tmp_path / "junk.bin").write_bytes(bytes(range(256)) * 100)
    done = collector("fold", tmp_path / "junk.bin", "--out", tmp_path / "system.json")
    assert done.returncode == 3
    assert "[collector.no-nodes]" in done.stderr
    assert not (tmp_path / "system.json").exists()


def test_a_missing_file_is_reported(collector, tmp_path):
    done = collector("fold", tmp_path / "none.txt", "--out", tmp_path / "system.json")
    assert done.returncode == 2
    assert "[collector.path]" in done.stderr


def test_an_empty_input_ends_with_nothing_collected(collector, tmp_path):
    process = collector.start("fold", "-", "--out", tmp_path / "system.json")
    _stdout, stderr = process.communicate()
    assert process.returncode == 3
    assert "there was no document at all" in stderr


@pytest.fixture(scope="session")
def machines(shared, tmp_path_factory):
    """{name: root} of the recorded client and of the same with each overlay copied over it; and its commands."""
    folder = tmp_path_factory.mktemp("machines")
    roots = shared / "data" / "collector" / "fakeroots"
    overlays = folder / "overlays"
    for name in (CLIENT, OVERLAYS):
        with tarfile.open(roots / (name + ".tar.gz")) as archive:
            extract(archive, overlays if name == OVERLAYS else folder, filter="fully_trusted")
    paths = {"commands": folder / CLIENT / "commands.json"}
    for overlay in [None, *sorted((overlays / OVERLAYS).iterdir())]:
        name = overlay.name if overlay else "plain"
        with tarfile.open(roots / (CLIENT + ".tar.gz")) as archive:
            extract(archive, folder / name, filter="fully_trusted")
        paths[name] = folder / name / CLIENT / "sysroot"
        for path in sorted(overlay.rglob("*")) if overlay else ():
            if path.is_file():
                target = paths[name] / path.relative_to(overlay)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
    return paths


def collected(collector, machines, name, *options):
    done = collector("collect", "--emit", "--root", machines[name], "--commands", machines["commands"], *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_few_different_nodes_among_a_thousand_are_named(collector, machines, tmp_path):
    odd = ["node-dimm-lost", "node-kernel", "node-tunable", "node-nps-mixed-serials", "node-ib-slow"]
    documents = {name: collected(collector, machines, name) for name in ["plain", *odd]}
    lines = []
    for number in range(1000):
        document = documents[odd[number // 200]] if number % 200 == 100 else documents["plain"]
        node(document)["members"] = [f"m-{number:08x}"]
        lines.append(f"node{number}: {emitted(document)}\n")
    _done, system_document = fold(collector, tmp_path, "".join(lines))
    (only,) = system_document["node_classes"]
    assert only["count"] == 1000
    pointers_by_member = {outlier["member"]: outlier["pointer"].rsplit("/", 1)[1] for outlier in only["outliers"]}
    assert len(only["outliers"]) == 4
    assert pointers_by_member == {
        "m-00000064": "total_bytes",
        "m-0000012c": "kernel",
        "m-000001f4": "lustre.client.osc.max_rpcs_in_flight",
        "m-00000384": "rate_bit_s",
    }


def test_the_drift_of_the_recorded_client_is_three_findings(collector, machines):
    before, after = (collected(collector, machines, name) for name in ("plain", "after-run-drift"))
    drift_entries = drift.drift(before, after, registry())
    assert [(entry["severity"], entry["pointer"].rsplit("/", 1)[1]) for entry in drift_entries] == [
        ("invalidating", "lustre.client.osc.active"),
        ("warning", "rate_bit_s"),
        ("warning", "lustre.client.osc.max_rpcs_in_flight"),
    ]
    assert drift_entries[0]["post"] == "true x6, false x1"
