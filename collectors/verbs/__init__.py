"""One module is one verb.

Each has ABOUT (one line), EXAMPLES (shown by --help), define(parser) and run(options, progress) -> exit status.
"""

from importlib import import_module

VERBS = (
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
    "status",
    "receipt",
    "verify",
    "names",
)
"""In the order in which --help lists them."""


def load_verb(name):
    """The module of a verb; `list-probes` is in list_probes, `import` in import_."""
    module = name.replace("-", "_")
    return import_module("collectors.verbs." + (module + "_" if module == "import" else module))
