"""`answer`: the questionnaire of a submission: its questions with the origin of each answer, and your answers."""

import json
import math
import sys

from collectors import report
from collectors.errors import OK, UsageError
from collectors.files import read_at_most
from collectors.server import options as server_options
from collectors.server import submission

ABOUT = "show the questionnaire of a submission, or answer it"

EXAMPLES = """examples:
  %(prog)s 784c6d71
  %(prog)s 784c6d71 --json > answers.json
  vi answers.json
  %(prog)s 784c6d71 --file answers.json
  %(prog)s 784c6d71 --ask

It shows each question with its answer and the source of the answer: collected on the machines,
printed by the benchmark, or written by a person. You need not type what the recipe of the run answers.
--file replaces the answers that people wrote by those of a file. The file is the output of --json, the
output of `questionnaire`, or an object of question ids and answers. --ask asks the open questions on a
terminal; an empty line leaves a question open.
"""

MAX_BYTES = 256 * 1024
SOURCES = {
    "collected": "collected on the machines",
    "benchmark": "printed by the benchmark",
    "submitter": "written by a person",
}
YES_NO = {"yes": True, "y": True, "no": False, "n": False}


def define(verb):
    verb.add_argument("id", metavar="ID", help="the submission")
    way = verb.add_mutually_exclusive_group()
    way.add_argument("--file", metavar="F", help="JSON file with the answers; - is standard input")
    way.add_argument("--ask", action="store_true", help="ask the open questions, on a terminal")
    server_options.add_output(verb)
    server_options.add_timeout(verb)


def run(options, progress):
    answers = read_answers(options.file) if options.file else None
    if options.ask and not sys.stdin.isatty():
        raise UsageError("collector.answers", "There is nobody to ask: this is no terminal.", "Use --file.")
    server = server_options.connect(options, progress)
    path = submission.find_path(server, options.id) + "answers/"
    document = submission.load_object(server, path) if answers is None else None
    if options.ask:
        answers = ask_questions(document, progress)
    if answers:
        document = submission.require_object(server.write_document("PUT", path, answers).document)
        progress.note("the answers are stored")
    if options.json:
        report.print_json(document)
    else:
        print_questionnaire(document, sys.stdout)
    return OK


def read_answers(path):
    """The JSON object of a file, or of standard input for `-`; of `answers` alone what it holds.

    Raises UsageError for anything else.
    """
    try:
        content = sys.stdin.buffer.read(MAX_BYTES + 1) if path == "-" else read_at_most(path, MAX_BYTES)
        if len(content) > MAX_BYTES:
            raise UsageError("collector.answers", "There are more than %d bytes of answers." % MAX_BYTES)
        document = json.loads(content.decode("utf-8-sig"), parse_constant=submission.refuse_constant)
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))
    except (ValueError, RecursionError) as error:
        raise UsageError("collector.answers", "%s holds no JSON of answers: %s." % (path, error))
    if isinstance(document, dict) and set(document) == {"answers"}:
        document = document["answers"]
    if not isinstance(document, dict) or not document:
        raise UsageError("collector.answers", "%s is no JSON object of answers." % path)
    return document


def ask_questions(document, progress):
    """What people answer now, beside what they had written before; {} where all was left open."""
    before = document.get("answers")
    new = {}
    for row in report.list_of_dicts(document, "questions"):
        if not row.get("lacking") or not isinstance(row.get("question"), str):
            continue
        for line in question_lines(row):
            progress.note(line)
        text = server_options.typed_line("  %s (empty: leave open): " % row.get("kind"), progress)
        if text:
            new[row["question"]] = value_of(text, row.get("kind"))
    return dict(before if isinstance(before, dict) else {}, **new) if new else {}


def value_of(text, kind):
    """A typed answer as the registry takes it: yes and no, a number with or without its unit, or the text."""
    if kind == "yes_no":
        return YES_NO.get(text.lower(), text)
    if kind == "number":
        number, _space, unit = text.partition(" ")
        try:
            value = int(number) if number.lstrip("-").isdigit() else float(number)
        except ValueError:
            return text
        if not math.isfinite(value):
            return text
        return {"value": value, "unit": unit.strip()} if unit.strip() else value
    return text


def print_questionnaire(document, stream):
    """Each question with its answer and the origin of it, then what lists still miss and what contradicts."""
    for row in report.list_of_dicts(document, "questions"):
        for line in question_lines(row):
            report.print_line(line, stream)
    lists = document.get("lists")
    for name, completeness in sorted(lists.items()) if isinstance(lists, dict) else ():
        if isinstance(completeness, dict) and completeness.get("asks") and not completeness.get("complete"):
            missing = [str(row.get("question")) for row in report.list_of_dicts(completeness, "missing")]
            report.print_line("list    {} still asks for: {}".format(name, ", ".join(missing)), stream)
    report.print_findings({"findings": report.list_of_dicts(document, "contradictions")}, stream)


def question_lines(row):
    """A question, its answer with the origin, and why it does not do."""
    indent = "  " if row.get("of") else ""
    yield "{}{}  {}".format(indent, row.get("question"), row.get("text"))
    value = row.get("value")
    if value is None:
        yield indent + "  no answer"
    else:
        origin = SOURCES.get(row.get("source"), str(row.get("source")))
        lines = value.splitlines() if isinstance(value, str) else [json.dumps(value)]
        for line in lines[:-1]:
            yield indent + "  " + line
        yield "{}  {}  ({})".format(indent, lines[-1] if lines else "", origin)
    if row.get("lacking"):
        yield "{}  open: {}".format(indent, row["lacking"])
    for line in recipe_lines(row.get("recipe")):
        yield indent + "  " + line


def recipe_lines(recipe):
    """What the recipe of the run says to a question, with its evidence; nothing where it gives no answer."""
    if not isinstance(recipe, dict) or not recipe.get("is_answered"):
        return
    evidence = report.list_of_dicts(recipe, "evidence")
    parts = ["{} ({})".format(fact.get("text"), fact.get("where")) for fact in evidence]
    yield "answered by the recipe: {}".format("; ".join(" ".join(part.split()) for part in parts))
    if recipe.get("contradicted"):
        yield "the answer is another than that of the recipe; what was written counts"
