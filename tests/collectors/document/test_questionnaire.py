"""Questions that no machine answers: asked where the document is silent, answered as declared, never over a fact."""

import json
import tarfile

import pytest

from collectors.document import questionnaire, schema
from collectors.errors import UsageError

HARDWARE = {"cpu": {}, "memory": {}}
OS = {"kernel": "4.18.0"}


def document(*classes, **parts):
    """A valid document of these node classes; by default one client."""
    nodes = [dict({"class_id": "0" * 16, "count": 10, "source": "collected"}, **node) for node in classes]
    nodes = nodes or [{"class_id": "0" * 16, "role": ["client"], "count": 10, "source": "collected"}]
    nodes = [dict({"hardware": HARDWARE, "os": OS, "parameters": [], "missing": []}, **node) for node in nodes]
    capture = {"id": "static", "phase": "static", "started": "2026-11-21T12:00:00Z"}
    collector = {"name": "highwater", "version": "0", "redaction_profile": "default"}
    description = {"schema_version": "1", "collector": collector, "captures": [capture], "node_classes": nodes, **parts}
    assert list(schema.errors(description)) == []
    return description


def asked(description):
    return {question["question"]: question for question in questionnaire.template(description)["questions"]}


def answer(description, **answers):
    filled = questionnaire.template(description)
    for question in filled["questions"]:
        question["answer"] = answers.get(question["question"].replace(".", "__"), question["answer"])
    return questionnaire.apply_answers(description, filled)


def entry(node, parameter):
    (parameter_entry,) = [entry for entry in node["parameters"] if entry["id"] == parameter]
    return parameter_entry["values"], parameter_entry["source"]


def test_questions_give_meaning_and_kind_of_answer():
    questions = asked(document())
    assert questions["raid.write_cache"]["answer_with"] == "true or false"
    assert questions["raid.drives_per_target"]["answer_with"] == "a number"
    assert questions["system.usage"]["answer_with"] == "one of: production, research, test"
    assert "array controller" in questions["raid.write_cache"]["meaning"]
    assert {question["answer"] for question in questions.values()} == {None}


def test_questions_answered_by_observations_are_left_out():
    system = {"name": "lustre", "type": "lustre", "version": "2.15.4", "usable_bytes": 1}
    questions = asked(document({"role": ["client"]}, {"role": ["oss"]}, storage_systems=[system]))
    assert "storage_systems.0.vendor" in questions and "raid.write_cache" in questions
    for name in ("storage_systems.0.version", "storage_systems.0.type", "drive.model", "storage_servers"):
        assert name not in questions


def test_drives_of_clients_do_not_answer_questions_about_servers():
    local = {"id": "drive.model", "values": [{"value": "PM1725a", "instances": 1}], "source": "sysfs"}
    assert asked(document({"role": ["client"], "parameters": [local]}))["drive.model"]["answer"] is None


def test_answers_are_declared_in_a_valid_document():
    description = answer(
        document(),
        system__usage="production",
        system__exclusive_during_run=False,
        fabric__0__topology="dragonfly",
        storage_systems__0__type="lustre",
        storage_systems__0__vendor="HPE",
        storage_systems__0__raw_bytes=10**15,
    )
    assert list(schema.errors(description)) == []
    assert description["system"] == {"usage": "production", "exclusive_during_run": False}
    assert description["fabric"] == [{"topology": "dragonfly"}]
    assert description["storage_systems"] == [
        {"name": "lustre", "type": "lustre", "vendor": "HPE", "raw_bytes": 10**15}
    ]
    (client,) = description["node_classes"]
    assert entry(client, "bench.exclusive") == ([{"value": False, "instances": 1}], "declared")
    assert entry(client, "fabric.topology") == ([{"value": "dragonfly", "instances": 1}], "declared")


def test_a_storage_system_of_unknown_kind_is_other():
    description = answer(document(), storage_systems__0__model="E1000")
    assert description["storage_systems"] == [{"name": "other", "type": "other", "model": "E1000"}]


def test_answers_about_servers_make_a_class_of_them():
    description = answer(document(), storage_servers=8, raid__write_cache=True, drive__model="PM1733")
    client, servers = description["node_classes"]
    assert (servers["role"], servers["count"], servers["source"]) == (["storage"], 8, "declared")
    assert entry(servers, "raid.write_cache") == ([{"value": True, "instances": 1}], "declared")
    assert entry(servers, "drive.model") == ([{"value": "PM1733", "instances": 1}], "declared")
    assert client["parameters"] == []
    assert len(servers["class_id"]) == 16


def test_answers_about_arrays_go_to_the_servers_that_were_collected():
    gap = {"id": "raid.write_cache", "reason": "not_applicable"}
    description = answer(document({"role": ["client"]}, {"role": ["oss"], "missing": [gap]}), raid__write_cache=False)
    assert entry(description["node_classes"][1], "raid.write_cache")[1] == "declared"
    assert description["node_classes"][1]["missing"] == []


def test_questions_show_earlier_answers_which_can_be_changed():
    first = answer(document(), raid__write_cache=True, system__name="Tall Pine", storage_servers=8)
    assert asked(first)["raid.write_cache"]["answer"] is True
    assert asked(first)["storage_servers"]["answer"] == 8
    second = answer(first, raid__write_cache=False, storage_servers=9)
    assert entry(second["node_classes"][1], "raid.write_cache") == ([{"value": False, "instances": 1}], "declared")
    assert second["node_classes"][1]["count"] == 9
    assert second["system"] == {"name": "Tall Pine"}


def test_the_input_document_is_unchanged():
    description = document()
    before = json.dumps(description)
    answer(description, raid__write_cache=True, system__usage="test")
    assert json.dumps(description) == before


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("raid__write_cache", "yes"),
        ("raid__write_cache", 1),
        ("raid__drives_per_target", "ten"),
        ("raid__drives_per_target", True),
        ("system__usage", "private"),
        ("system__name", "x" * 121),
        ("system__name", "   "),
        ("system__name", "\x1b[31m"),
        ("system__name", ["a"]),
        ("site__country", "Germany"),
        ("storage_systems__0__raw_bytes", -1),
        ("storage_systems__0__raw_bytes", 1.5),
        ("drive__model", {"a": 1}),
        ("storage_servers", 0),
    ],
)
def test_an_answer_of_another_kind_is_refused(name, wrong):
    with pytest.raises(UsageError) as refusal:
        answer(document(), **{name: wrong, "appliance__version": "6.4"})
    assert refusal.value.code == "collector.answers"


@pytest.mark.parametrize(
    "answers",
    [
        [],
        {},
        None,
        {"questions": "all"},
        {"questions": [1]},
        {"questions": [{"question": 7, "answer": 1}]},
        {"questions": [{"question": "cpu.model", "answer": "Z80"}]},
        {"questions": [{"question": "node_classes.0.count", "answer": 3}]},
        {"questions": [{"question": "system.usage.x", "answer": 3}]},
    ],
)
def test_answers_in_another_form_are_refused(answers):
    with pytest.raises(UsageError) as refusal:
        questionnaire.apply_answers(document(), answers)
    assert refusal.value.code == "collector.answers"


def test_an_observed_value_is_not_overwritten():
    observed = {"id": "raid.write_cache", "values": [{"value": True, "instances": 4}], "source": "command"}
    description = document({"role": ["client"]}, {"role": ["oss"], "parameters": [observed]})
    with pytest.raises(UsageError, match="no open question"):
        questionnaire.apply_answers(description, {"questions": [{"question": "raid.write_cache", "answer": False}]})


def test_control_characters_of_an_answer_are_taken_out():
    description = answer(document(), system__name="Tall\x1b[31m  Pine\n\u202e")
    assert description["system"]["name"] == "Tall Pine"


@pytest.fixture
def system_json(collector):
    path = collector.cwd / "system.json"
    path.write_text(json.dumps(document()))
    return path


def test_answers_to_written_questions_enter_the_document(oldest_and_this_python, collector, system_json):
    done = collector("questionnaire", "system.json", "--out", "answers.json", python=oldest_and_this_python)
    assert done.returncode == 0
    answers = json.loads((collector.cwd / "answers.json").read_text())
    answers["questions"][0]["answer"] = "Example Institute"
    (collector.cwd / "answers.json").write_text(json.dumps(answers))
    done = collector("questionnaire", "system.json", "--answers", "answers.json", python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (0, "")
    assert "1 answers in system.json" in done.stderr
    assert json.loads(system_json.read_text())["site"] == {"institution": "Example Institute"}


def test_questions_are_printed_without_a_file(collector, system_json):
    done = collector("questionnaire", "system.json")
    assert json.loads(done.stdout)["questions"][0]["question"] == "site.institution"


@pytest.mark.parametrize(
    ("content", "code"), [("{", "collector.answers"), ("[" * 100_000, "collector.answers"), (None, "collector.path")]
)
def test_a_file_that_holds_no_answers_leaves_the_document_as_it_is(collector, system_json, content, code):
    before = system_json.read_text()
    if content is not None:
        (collector.cwd / "answers.json").write_text(content)
    done = collector("questionnaire", "system.json", "--answers", "answers.json")
    assert done.returncode == 2
    assert code in done.stderr
    assert system_json.read_text() == before


def test_a_bundle_is_not_changed(collector, system_json):
    bundle = collector.cwd / "run.tar.gz"
    with tarfile.open(bundle, "w:gz") as archive:
        archive.add(system_json, "run/data/system.json")
    before = bundle.read_bytes()
    (collector.cwd / "answers.json").write_text('{"questions": [{"question": "system.name", "answer": "x"}]}')
    (collector.cwd / "bios.json").write_text('{"Attributes": {"LogicalProc": "Enabled"}}')
    assert collector("questionnaire", "run.tar.gz", "--answers", "answers.json").returncode == 2
    assert collector("import", "redfish", "bios.json", "--into", "run.tar.gz").returncode == 2
    assert bundle.read_bytes() == before
    assert collector("questionnaire", "run.tar.gz").returncode == 0


def test_unanswered_questions_of_the_registry_are_asked_too():
    questions = asked(document())
    assert questions["storage_role"]["answer_with"] == "one of: primary, acceleration"
    assert questions["persistence_verified"]["answer_with"] == "true or false"
    assert questions["system_purpose"]["answer_with"] == "a text of at least 10 words"
    assert "reproducibility" in questions
    for by_facts in ("caching", "runtime_environment", "client_nodes", "feedback"):
        assert by_facts not in questions


def test_answers_for_the_registry_stay_out_of_the_document(oldest_and_this_python, collector, system_json):
    collector("questionnaire", "system.json", "--out", "answers.json", python=oldest_and_this_python)
    answers = json.loads((collector.cwd / "answers.json").read_text())
    for question in answers["questions"]:
        question["answer"] = {"storage_role": "primary", "system.name": "Fjord"}.get(question["question"])
    (collector.cwd / "answers.json").write_text(json.dumps(answers))
    done = collector("questionnaire", "system.json", "--answers", "answers.json", python=oldest_and_this_python)
    assert done.returncode == 0
    assert "1 answers in system.json" in done.stderr
    assert "1 answers are for the registry" in done.stderr
    assert json.loads(system_json.read_text()) == dict(document(), system={"name": "Fjord"})
