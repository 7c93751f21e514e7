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
    "status",
    "submit",
    "answer",
    "withdraw",
    "receipt",
    "verify",
    "names",
)
"""In the order in which --help lists them."""
PYTHON_WORDS = ("import", "list", "open")


def load_verb(name):
    """The module of a verb; `list-probes` is in list_probes, what is a word of Python in import_, list_, open_."""
    module = name.replace("-", "_") + ("_" if name in PYTHON_WORDS else "")
    return import_module("collectors.verbs." + module)
