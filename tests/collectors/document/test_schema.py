"""The collector's small validator says what jsonschema says, and takes whatever it is given."""

import copy
import json
import random
import subprocess
from itertools import chain

import pytest
from jsonschema import Draft202012Validator

from collectors.document import parameters, schema

KEYWORDS = {
    "type",
    "const",
    "enum",
    "pattern",
    "format",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "required",
    "properties",
    "additionalProperties",
    "propertyNames",
    "items",
    "anyOf",
    "$ref",
    "$defs",
}
REMARKS = {"$schema", "$id", "title", "description"}
MUTATIONS = 10000

NODE = {
    "class_id": "92a8a0089af3c484",
    "name": "clients",
    "role": ["client"],
    "count": 4,
    "members": ["m-40b4ccd9", "m-0badcafe"],
    "source": "collected",
    "hardware": {
        "cpu": {"model": "EPYC", "sockets": 2, "governor": {"performance": 96}},
        "memory": {"total_bytes": 2**38},
    },
    "os": {"kernel": "4.18.0", "cmdline": ["mitigations=off"], "mitigations": {"meltdown": "Not affected"}},
}
# Small documents, each with other parts, because jsonschema checks all of a document each time.
DOCUMENTS = [
    {"node_classes": []},
    {"node_classes": [NODE]},
    {
        "node_classes": [
            {
                **NODE,
                "network": [{"kind": "infiniband", "rate_bit_s": 10**11, "pcie": {"max_width": 16}, "numa_node": -1}],
                "block": [
                    {"count": 24, "bytes": None, "rotational": False, "queue": {"scheduler": "none", "wbt": None}}
                ],
                "mounts": [{"type": "lustre", "options": ["flock"]}],
            }
        ]
    },
    {
        "node_classes": [
            {
                **NODE,
                "parameters": [
                    {
                        "id": "lustre.client.osc.max_rpcs_in_flight",
                        "values": [{"value": 8, "instances": 7}, {"value": 16.5, "instances": 1}],
                        "unit": "count",
                        "source": "sysfs",
                    },
                    {
                        "id": "vm.sysctl",
                        "key": "vm.swappiness",
                        "values": [{"value": True, "instances": 1}],
                        "source": "env",
                    },
                ],
                "missing": [{"id": "obdfilter_survey", "reason": "not_applicable", "detail": "-"}],
                "outliers": [{"member": "m-1", "pointer": "/os/kernel", "value": {"a": [1, "b"]}, "majority": None}],
            }
        ]
    },
    {
        "node_classes": [],
        "job": {"nodes": 10, "ranks_per_node": None, "environment": {"OMPI_MCA_io": "ompio"}, "preload": ["libx.so"]},
        "run": {
            "command": "fio",
            "sha256": "0" * 64,
            "exit_status": 0,
            "started": "2026-11-20T19:20:00Z",
            "ended": "2024-02-29T23:59:59.5Z",
            "duration_s": 1.5,
        },
        "drift": [
            {"pointer": "/network/0/rate_bit_s", "pre": 1, "post": [2, [3]], "severity": "warning", "members": 1}
        ],
    },
    {
        "node_classes": [],
        "storage_systems": [
            {
                "name": "fs",
                "type": "lustre",
                "fill_ratio": 0.5,
                "targets": [{"kind": "data", "count": 8, "media": "nvme"}],
            }
        ],
        "layouts": [
            {
                "phase": "ior-easy",
                "stripe_count": -1,
                "overstriped": None,
                "components": [{"start_bytes": 0, "end_bytes": None, "stripe_count": 1}],
            }
        ],
        "site": {"country": "DEU"},
        "system": {"usage": "production", "exclusive_during_run": True},
        "fabric": [{"type": "infiniband", "bisection_bytes_per_s": 1e12}],
        "attachments": [{"path": "results/a.txt", "sha256": "f" * 64}],
    },
]
# What hostile and sloppy programs write, and what lies close to a limit.
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    0.5,
    -0.0,
    2**63 - 1,
    2**63,
    1e308,
    float("inf"),
    "",
    "1",
    "a",
    "client",
    "none",
    "x" * 120,
    "x" * 121,
    "x" * 513,
    "0123456789abcdef",
    "0123456789abcdef\n",
    "2026-02-31T00:00:00Z",
    "2026-01-01T00:00:00Z",
    "2026-01-01t00:00:00z",
    "2026-01-01T00:00:00+01:00",
    "\u0661" * 4 + "-01-01T00:00:00Z",
    "/\u202e",
    "\ud800",
    "a/b~c",
    [],
    [None],
    ["a", 1],
    [[[[[[]]]]]],
    {},
    {"a": 1},
    {"": {"$ref": "#"}},
    {"a": {"b": {"c": {"d": {}}}}},
]
ALL_KEYWORDS = {
    "$defs": {"one": {"const": 1}, "name": {"pattern": "^[a-z]+$", "maxLength": 3}, "nothing": False},
    "type": ["object", "array", "string", "number", "null"],
    "minItems": 2,
    "maximum": 10,
    "items": {
        "anyOf": [{"$ref": "#/$defs/one"}, {"enum": [True, [1, {"a": 0}], 2.0, "x"]}, {"type": "array", "items": False}]
    },
    "required": ["a"],
    "properties": {
        "a": {"$ref": "#/$defs/one", "type": "integer"},
        "b": {"const": [0, False]},
        "c": {"const": {"x": 1.0}},
        "d": {"type": "integer", "minimum": 0, "maximum": 2},
        "e": {"format": "date-time"},
        "f": {"$ref": "#/$defs/nothing"},
        "g": True,
    },
    "propertyNames": {"$ref": "#/$defs/name"},
    "additionalProperties": {"type": "boolean"},
}
SMALL = [
    1,
    1.0,
    True,
    2,
    2.0,
    0,
    0.0,
    False,
    "x",
    None,
    [],
    [1],
    [0, False],
    [False, 0],
    [1, {"a": False}],
    {"x": 1},
    {"x": True},
]


def verdict(document, subschema=None):
    return next(schema.errors(document, subschema), None) is None


def oracle(subschema):
    return Draft202012Validator(subschema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def whole(part):
    capture = {"id": "pre", "phase": "pre", "started": "2026-11-20T19:20:00Z", "nodes_failed": []}
    collector = {"name": "highwater", "version": "0.1", "redaction_profile": "default"}
    return {"schema_version": "1", "collector": collector, "captures": [capture], **part}


def places(value):
    """Every (container, key or index) of a document."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        yield value, key
        yield from places(child)


def mutate(document, dice):
    """One change somewhere, in place."""
    container, key = dice.choice(list(places(document)))
    kind = dice.randrange(5)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, dict):
        container[dice.choice(["extra", "count", "a b", "", "x" * 121])] = copy.deepcopy(dice.choice(VALUES))
    elif kind == 2 and isinstance(container[key], str):
        container[key] = dice.choice(["{}\n", "{}x", "X{}", "{}" + "y" * 100]).format(container[key])
    elif kind == 3 and isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    else:
        container[key] = copy.deepcopy(dice.choice(VALUES))


def mutated():
    """MUTATIONS documents, the same in every run: one to three changes of a valid one."""
    dice = random.Random(20261121)
    for number in range(MUTATIONS):
        document = copy.deepcopy(whole(DOCUMENTS[number % len(DOCUMENTS)]))
        for _ in range(dice.choice([1, 1, 2, 3])):
            mutate(document, dice)
        yield document


@pytest.fixture(scope="module")
def judged():
    """(document, is it valid by jsonschema) of every mutated document."""
    judge = oracle(parameters.document_schema())
    return [(document, judge.is_valid(document)) for document in mutated()]


@pytest.mark.parametrize("part", DOCUMENTS, ids=lambda part: "+".join(part))
def test_a_correct_document_is_valid(part):
    assert list(schema.errors(whole(part))) == []
    assert oracle(parameters.document_schema()).is_valid(whole(part))


def test_the_validator_agrees_with_jsonschema_on_mutated_documents(judged):
    disagreed = [document for document, valid in judged if verdict(document) != valid]
    assert disagreed == []
    rejected = sum(not valid for _, valid in judged)
    assert len(judged) >= 10000
    assert len(judged) / 3 <= rejected <= len(judged) * 0.9


def test_the_validator_agrees_with_jsonschema_on_every_keyword():
    judge = oracle(ALL_KEYWORDS)
    values = SMALL + VALUES
    names = ["a", "b", "c", "d", "e", "f", "g", "zz", "long", "1"]
    pairs = chain(
        values,
        ([value, other] for value in SMALL for other in SMALL),
        ({"a": 1, name: value} for name in names for value in values),
    )
    judged = [(document, judge.is_valid(document)) for document in pairs]
    assert [document for document, valid in judged if verdict(document, ALL_KEYWORDS) != valid] == []
    assert sum(valid for _, valid in judged) > 50
    assert sum(not valid for _, valid in judged) > 300


def test_the_validator_gives_the_same_errors_on_every_python(every_python, collectors_alone, tmp_path, judged):
    lines = [json.dumps([document, valid]) for document, valid in judged[:1500]]
    (tmp_path / "documents").write_text("\n".join(lines))
    program = (
        "import json, sys\n"
        "from collectors.document import schema\n"
        "for line in open(sys.argv[1]):\n"
        "    document, valid = json.loads(line)\n"
        "    assert (next(schema.errors(document), None) is None) == valid, line\n"
        "print('agreed')\n"
    )
    done = subprocess.run(
        [every_python, "-B", "-c", program, tmp_path / "documents"],
        cwd=collectors_alone,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("agreed\n", "")


@pytest.mark.parametrize("kind", [list, dict])
def test_a_document_nested_thousands_deep_is_refused_not_followed(kind):
    document = kind()
    for _ in range(50000):
        document = [document] if kind is list else {"a": document}
    assert not verdict(document)
    assert not verdict(whole({"node_classes": document}))
    assert not verdict(whole({"node_classes": [], "drift": [{"pointer": "/", "severity": "info", "pre": document}]}))


def test_a_schema_that_refers_to_itself_ends():
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert list(schema.errors(1, loop)) == [("", "is nested too deeply")]
    tree = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}
    document = []
    for _ in range(1000):
        document = [document]
    assert [message for _, message in schema.errors(document, tree)] == ["is nested too deeply"]


def test_errors_give_place_and_reason():
    part = {
        "node_classes": [],
        "job": {"nodes": -1, "a/b~": 1},
        "fabric": [{"name": "x" * 121}],
        "attachments": [{"path": "a"}],
    }
    document = whole(part)
    del document["collector"]["version"]
    assert sorted(schema.errors(document)) == [
        ("/attachments/0", "sha256 is missing"),
        ("/collector", "version is missing"),
        ("/fabric/0/name", "is longer than 120 characters"),
        ("/job/a~1b~0", "is not allowed here"),
        ("/job/nodes", "-1 is less than 0"),
    ]


@pytest.mark.parametrize(
    ("container", "key"),
    [
        (lambda document: document["captures"][0], "started"),
        (lambda document: document["node_classes"][0], "class_id"),
        (lambda document: document["node_classes"][0]["missing"][0], "id"),
        (lambda document: document["attachments"][0], "sha256"),
        (lambda document: document["site"], "country"),
    ],
)
def test_a_line_feed_at_the_end_is_an_error(container, key):
    parts = {**DOCUMENTS[3], "attachments": DOCUMENTS[5]["attachments"], "site": DOCUMENTS[5]["site"]}
    document = copy.deepcopy(whole(parts))
    container(document)[key] += "\n"
    assert not verdict(document)
    assert not oracle(parameters.document_schema()).is_valid(document)


def test_errors_are_few_short_and_printable():
    document = whole({"node_classes": ["\x1b[31m\u202e" + "x" * 10**6] * 1000})
    errors = list(schema.errors(document))
    assert len(errors) == 100
    assert all(message.isprintable() and message.isascii() and len(message) < 120 for _, message in errors)


def test_an_unknown_keyword_is_an_error():
    with pytest.raises(ValueError, match="uniqueItems"):
        list(schema.errors([], {"uniqueItems": True}))


def subschemas(part):
    yield part
    for name, keyword_value in part.items():
        if name in ("properties", "$defs"):
            for child in keyword_value.values():
                yield from subschemas(child)
        elif name == "anyOf":
            for child in keyword_value:
                yield from subschemas(child)
        elif name in ("items", "propertyNames", "additionalProperties") and isinstance(keyword_value, dict):
            yield from subschemas(keyword_value)


def test_the_schema_of_the_document_has_the_seventeen_keywords_alone():
    used = set(chain.from_iterable(subschemas(parameters.document_schema())))
    assert used <= KEYWORDS | REMARKS
    assert len(KEYWORDS) == 17
    Draft202012Validator.check_schema(parameters.document_schema())


def test_every_object_of_the_schema_is_closed_and_every_text_and_number_bounded():
    for part in subschemas(parameters.document_schema()):
        types = part.get("type", [])
        types = [types] if isinstance(types, str) else types
        if "object" in types:
            assert "additionalProperties" in part and part["additionalProperties"] is not True, part
            assert part["additionalProperties"] is False or "propertyNames" in part, part
        if "string" in types:
            assert "maxLength" in part or part.get("pattern", "")[-1:] == "$", part
        if "integer" in types:
            assert "minimum" in part and "maximum" in part, part
        if "array" in types:
            assert "items" in part, part


def test_every_definition_is_used():
    text = json.dumps(parameters.document_schema())
    unused = [name for name in parameters.document_schema()["$defs"] if f'"#/$defs/{name}"' not in text]
    assert unused == []


def test_compiled_rules_agree_with_the_messages_on_mutated_documents(judged):
    is_valid = schema.compile_part(parameters.document_schema())
    assert [document for document, valid in judged if is_valid(document) != valid] == []


def test_compiled_rules_agree_with_the_messages_on_every_keyword():
    is_valid = schema.compile_part(ALL_KEYWORDS, ALL_KEYWORDS)
    values = [*VALUES, *SMALL, *({name: value} for name in "abcdefgh" for value in [*SMALL, *VALUES])]
    values += [{"a": 1, name: value} for name in [*"abcdefgh", "abcd"] for value in [*SMALL, *VALUES]]
    assert [value for value in values if is_valid(value) != verdict(value, ALL_KEYWORDS)] == []
    assert any(map(is_valid, values))


def test_a_schema_that_leads_back_to_itself_is_not_compiled():
    endless = {"$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}}, "$ref": "#/$defs/list"}
    with pytest.raises(ValueError, match="leads back to"):
        schema.compile_part(endless, endless)


def test_an_unknown_keyword_is_not_compiled():
    with pytest.raises(ValueError, match="has the keyword"):
        schema.compile_part({"maxItems": 3})
