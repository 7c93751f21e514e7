"""What no machine can tell: the questions that a document leaves open, and people's answers put into it.

A question is about a field of the document (`system.usage`, `storage_systems.0.vendor`) or about a parameter of the
registry (`raid.write_cache`). What was observed is not asked; answers to parameters have the source `declared`. Of the
questionnaire on reproducibility those questions are asked that no fact answers; their answers are for the registry.
"""

import copy
import json
import pkgutil

from collectors.document import assemble, bios_import, parameters, schema
from collectors.errors import UsageError
from collectors.node import node_access
from collectors.probe_results import Fact

REPRODUCIBILITY = "data/reproducibility.1.json"
MAX_TEXT_CHARACTERS = 120
MOST_SYSTEMS = 4
ABOUT = "Replace null by what you know and leave the rest. Answers are published with the result, as your word."

# Only people know these, so they are asked again with the answer that is there.
FIELDS = (
    ("site.institution", "Name of the institution that runs the system."),
    ("site.abbreviation", "Its usual short name."),
    ("site.country", "Country, as the three letters of ISO 3166-1."),
    ("system.name", "Name of the machine."),
    ("system.usage", "What the machine is for."),
    ("system.installed", "Month in which it was installed, such as 2024-05."),
    ("system.exclusive_during_run", "Whether nobody else used the machine and its storage during the run."),
    ("fabric.0.type", "Kind of the network between clients and storage, such as InfiniBand NDR or Slingshot."),
    ("fabric.0.topology", "How that network is built, such as fat tree or dragonfly."),
    ("fabric.0.blocking", "How far it blocks, such as 1:1 or 2:1."),
)
FIELDS_OF_A_SYSTEM = (
    ("vendor", "Who sold or built the storage system."),
    ("model", "Its model, such as the name of the appliance."),
    ("software", "Its file system software, if that has a name of its own."),
)
# Often observed, and then not asked.
OPEN_FIELDS_OF_A_SYSTEM = (
    ("type", "Kind of file system."),
    ("version", "Version of its software on the servers."),
    ("usable_bytes", "What users can store, in bytes."),
    ("raw_bytes", "Sum of the sizes of its drives, in bytes."),
)
SERVERS = "storage_servers"
SERVERS_MEANING = "How many storage servers there are."
# Arrays and fabrics tell these to their administrators alone.
OF_ARRAYS = ("raid.write_cache", "raid.parity_check_on_read", "fabric.switches")
# Servers tell these, so they are asked where no document of a server is there.
OF_SERVERS = (
    "appliance.version",
    "lustre.server.backend",
    "raid.layout",
    "raid.drives_per_target",
    "drive.model",
    "drive.firmware",
    "drive.count",
    "drive.media_type",
    "enclosure.config",
)
# Parameters that are the same question as a field.
PARAMETER_BY_FIELD = {"system.exclusive_during_run": "bench.exclusive", "fabric.0.topology": "fabric.topology"}
SERVER_ROLES = frozenset(["oss", "mds", "mgs", "nsd", "storage"])


def template(document):
    """{"about", "questions": [{question, meaning, answer_with, answer}]}, with the answers that there are already."""
    questions = (
        list(field_questions(document)) + list(parameter_questions(document)) + list(reproducibility_questions())
    )
    return {"about": ABOUT, "questions": questions}


def field_questions(document):
    systems = document.get("storage_systems") or [{}]
    field_meanings = list(FIELDS)
    for place, system in enumerate(systems[:MOST_SYSTEMS]):
        fields = FIELDS_OF_A_SYSTEM + tuple(field for field in OPEN_FIELDS_OF_A_SYSTEM if field[0] not in system)
        field_meanings += [("storage_systems.%d.%s" % (place, name), meaning) for name, meaning in fields]
    for name, meaning in field_meanings:
        yield question(name, meaning, rule_of(name), at(document, name.split(".")))


def parameter_questions(document):
    """Yield a question for each parameter of servers and arrays that no capture answered."""
    servers = server_class(document)
    if servers is None or servers["source"] == "declared":
        count = servers["count"] if servers else None
        yield question(SERVERS, SERVERS_MEANING, {"type": "integer", "minimum": 1}, count)
        parameter_ids = OF_ARRAYS + OF_SERVERS
    else:
        parameter_ids = OF_ARRAYS
    for name in parameter_ids:
        entry = parameters.registry()[name]
        server_entry = entry_of(servers, name)
        if server_entry is None or server_entry["source"] == "declared":
            answer = server_entry["values"][0]["value"] if server_entry else None
            yield question(name, entry["meaning"], rule_of_parameter(entry), answer, entry["unit"])


def reproducibility_questions():
    """The required questions of the registry's questionnaire that no fact of a document answers."""
    questionnaire = json.loads(pkgutil.get_data("collectors", REPRODUCIBILITY).decode("utf-8"))
    for main in questionnaire["questions"]:
        for registry_question in [main] + main.get("parts", []):
            by_facts = "enough" in registry_question or (
                registry_question["kind"] != "text" and "facts" in registry_question
            )
            if registry_question["required"] != "never" and not by_facts:
                meaning = " ".join(filter(None, [registry_question["text"], registry_question.get("help")]))
                yield {
                    "question": registry_question["id"],
                    "meaning": meaning,
                    "answer_with": describe_answer(registry_question),
                    "answer": None,
                }


def describe_answer(registry_question):
    """What an answer to a question of the registry's questionnaire looks like."""
    if registry_question["kind"] == "choice":
        return "one of: " + ", ".join(registry_question["choices"])
    return (
        "true or false"
        if registry_question["kind"] == "yes_no"
        else "a text of at least %d words" % registry_question["least_words"]
    )


def for_the_registry(answers):
    """The answered questions that are not about the document."""
    own = {template_question["question"] for template_question in reproducibility_questions()}
    return [name for name, _answer in read_answers(answers) if name in own]


def question(name, meaning, rule, answer, unit=None):
    return {"question": name, "meaning": meaning, "answer_with": words(rule, unit), "answer": answer}


def words(rule, unit):
    """What an answer looks like."""
    if "enum" in rule:
        return "one of: " + ", ".join(rule["enum"])
    kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    if "boolean" in kinds:
        return "true or false"
    if "integer" in kinds or "number" in kinds:
        return "a number of bytes" if unit == "B" else "a number"
    return "a text of at most %d characters" % rule["maxLength"] if "maxLength" in rule else "a text"


def rule_of(name):
    """The part of the document's schema for a field, such as system.usage or storage_systems.0.vendor."""
    rule = parameters.document_schema()
    for part in name.split("."):
        rule = schema.resolved(rule)
        rule = rule["items"] if part.isdigit() else rule["properties"][part]
    return schema.resolved(rule)


def rule_of_parameter(entry):
    if entry["value_type"] in ("boolean", "integer", "number"):
        return {"type": entry["value_type"]}
    return {"type": "string", "maxLength": MAX_TEXT_CHARACTERS}


def apply_answers(document, answers):
    """The document with the answers of a filled-in template; the one that is given does not change.

    Raises UsageError `collector.answers` for what is no template, asks something else or has an answer of another kind.
    """
    document = copy.deepcopy(document)
    open_questions = {entry["question"] for entry in template(document)["questions"]}
    own = for_the_registry(answers)
    answers = dict(read_answers(answers))
    for name in answers:
        if name not in open_questions:
            raise answer_error(name, "is no open question of this document")
    for name in own:
        del answers[name]
    for name, answer in answers.items():
        if name in parameters.registry():
            put_parameter(document, name, answer, answers.get(SERVERS))
        elif name != SERVERS:
            put_field(document, name, answer)
    for system in document.get("storage_systems", ()):
        system.setdefault("type", "other")
        system.setdefault("name", system["type"])
    for pointer, message in schema.errors(document, at_most=1):
        raise answer_error(pointer, message)
    return document


def read_answers(answers):
    """(question, answer) of each question that was answered. Raises UsageError where that is no list of questions."""
    listed = answers.get("questions") if isinstance(answers, dict) else None
    for entry in listed if isinstance(listed, list) else [None]:
        if not isinstance(entry, dict) or not isinstance(entry.get("question"), str):
            raise UsageError(
                "collector.answers", "That is no list of questions.", "Make one with `questionnaire FILE`."
            )
        if entry.get("answer") is not None:
            yield entry["question"], entry["answer"]


def answer_error(name, what):
    return UsageError(
        "collector.answers", "%s %s." % (name, what), "`questionnaire FILE` shows what is asked, and how."
    )


def require_fitting(name, answer, rule):
    """The answer if it is of the kind that its question asks for; texts lose what would mislead a reader.

    Raises UsageError for an answer of another kind.
    """
    if isinstance(answer, str):
        answer = " ".join(node_access.clean_text(answer.encode("utf-8", "replace")).split())
    if answer == "" or not schema.fits(answer, rule):
        raise answer_error(name, "wants " + words(rule, None))
    return answer


def put_field(document, name, answer):
    way = name.split(".")
    answer = require_fitting(name, answer, rule_of(name))
    part = document
    for step, following in zip(way, way[1:]):
        part = enter_part(part, step, [] if following.isdigit() else {})
    part[way[-1]] = answer
    if name in PARAMETER_BY_FIELD:
        declare(clients(document), PARAMETER_BY_FIELD[name], answer)


def enter_part(part, step, new):
    """The part below, made where it is not there."""
    if not isinstance(part, list):
        return part.setdefault(step, new)
    if len(part) <= int(step):
        part.append(new)
    return part[int(step)]


def put_parameter(document, name, answer, servers):
    answer = require_fitting(name, answer, rule_of_parameter(parameters.registry()[name]))
    node = server_class(document)
    if node is None:
        node = {"role": ["storage"], "count": 1, "source": "declared", "hardware": {"cpu": {}, "memory": {}}}
        node.update(class_id="", os={"kernel": None}, parameters=[], missing=[])
        document["node_classes"].append(node)
    if servers is not None and node["source"] == "declared":
        node["count"] = require_fitting(SERVERS, servers, {"type": "integer", "minimum": 1})
    declare(node, name, answer)
    bios_import.rename_class(document, node)


def declare(node, name, answer):
    """Put one value into a class, in place of an earlier answer and never of an observation."""
    node["parameters"] = [
        entry for entry in node.get("parameters", []) if entry["id"] != name or entry["source"] != "declared"
    ]
    facts = [Fact(name, answer, "declared")]
    bios_import.merge_parameters(node, assemble.distributions(facts, parameters.registry()))


def clients(document):
    """The class of nodes that ran the benchmark: the first of clients, or the first."""
    client_classes = [node for node in document["node_classes"] if "client" in node["role"]]
    return (client_classes or document["node_classes"])[0]


def server_class(document):
    """The class that stands for the storage servers, or None."""
    return next((node for node in document["node_classes"] if SERVER_ROLES & set(node["role"])), None)


def entry_of(node, name):
    """The entry of a parameter in a class, or None. That clients have drives of their own tells nothing of servers."""
    entries = node.get("parameters", ()) if node else ()
    return next((entry for entry in entries if entry["id"] == name), None)


def at(part, way):
    """What lies at a way of names and places, or None."""
    for step in way:
        if isinstance(part, list):
            part = part[int(step)] if int(step) < len(part) else None
        else:
            part = part.get(step) if isinstance(part, dict) else None
    return part
