"""One module is one verb.

Each has ABOUT (one line), EXAMPLES (shown by --help), define(parser) and run(options, progress) -> exit status.
"""

from importlib import import_module

VERBS = (
    "login",
    "whoami",
    "collect",
    "run",
    "fold",
    "import",
    "questionnaire",
    "show",
    "diff",
    "list-probes",
    "explain",
    "example",
    "upload",
    "validate",
    "pack",
    "sign",
    "list",
    "group",
    "status",
    "submit",
    "answer",
    "withdraw",
    "search",
    "compare",
    "gate",
    "recipe",
    "reproduce",
    "agree",
    "open",
    "completion",
    "receipt",
    "verify",
    "names",
)
"""In the order in which --help lists them."""
WITHOUT_JSON = ("run",)
"""What it prints on stdout is of the benchmark; the document of the run is in a file."""
PYTHON_WORDS = ("import", "list", "open")


def load_verb(name):
    """The module of a verb; `list-probes` is in list_probes, what is a word of Python in import_, list_, open_."""
    module = name.replace("-", "_") + ("_" if name in PYTHON_WORDS else "")
    return import_module("collectors.verbs." + module)


def define_verb(name, parser):
    """Give a parser the arguments of a verb, and --json, which nearly every verb has."""
    load_verb(name).define(parser)
    has_json = any("--json" in action.option_strings for action in parser._actions)
    if name not in WITHOUT_JSON and not has_json:
        parser.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else")
