"""`questionnaire`: what no machine can tell, as questions to people; and their answers put into the document."""

import json

from collectors import report
from collectors.document import questionnaire, system_file
from collectors.errors import OK, UsageError
from collectors.files import read_at_most, write_whole

ABOUT = "list the questions that only people can answer, and add their answers to a document"

EXAMPLES = """examples:
  %(prog)s system.json --out answers.json
  vi answers.json
  %(prog)s system.json --answers answers.json

The first command writes the questions that the document leaves open, each with `"answer": null`. The
last one adds the answers to system.json, marked as declared. Answers on reproducibility do not belong
in the document: upload the same file in the questionnaire of the submission. Without --out it prints
the questions.
"""

MAX_BYTES = 1024 * 1024


def define(verb):
    verb.add_argument("file", metavar="FILE", help="a document of collect, fold or run")
    verb.add_argument("--out", metavar="ANSWERS", help="write the questions to this file")
    verb.add_argument("--answers", metavar="ANSWERS", help="put the answers of this file into FILE")


def run(options, progress):
    if options.out and options.answers:
        raise UsageError(
            "collector.answers", "--out writes questions, and --answers reads answers.", "Give one of them."
        )
    if options.answers:
        take(system_file.writable(options.file), options.answers, progress)
        if options.json:
            report.print_json({"out": options.file})
        return OK
    template = questionnaire.template(system_file.load(options.file))
    if options.out:
        write_whole(options.out, json.dumps(template, indent=1) + "\n")
        progress.note("%d questions in %s" % (len(template["questions"]), options.out))
        if options.json:
            report.print_json({"out": options.out, "questions": len(template["questions"])})
    else:
        report.print_json(template)
    return OK


def take(path, answers, progress):
    """Put the answers of a file into the document, which is valid afterwards or stays as it was."""
    answers = read(answers)
    document = questionnaire.apply_answers(system_file.load(path), answers)
    write_whole(path, json.dumps(document, indent=1) + "\n")
    own = set(questionnaire.for_the_registry(answers))
    put = {name for name, _answer in questionnaire.read_answers(answers)} - own
    progress.note("%d answers in %s" % (len(put), path))
    if own:
        progress.note("%d answers are for the registry: upload the file on the submission's questionnaire" % len(own))


def read(path):
    """The JSON of a file of answers. Raises UsageError if it cannot be read or is no JSON."""
    try:
        return json.loads(read_at_most(path, MAX_BYTES).decode("utf-8"))
    except OSError as error:
        raise UsageError("collector.path", "%s cannot be read: %s" % (path, error.strerror or error))
    except (ValueError, RecursionError):
        raise UsageError("collector.answers", path + " holds no JSON of answers.", "Look for a missing comma or quote.")
