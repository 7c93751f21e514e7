"""One module is one verb.

Each has ABOUT (one line), EXAMPLES (shown by --help), define(parser) and run(options, progress) -> exit status.
"""

from collectors.verbs import collect, list_probes, pack, show, status, upload, validate

# In the order in which --help lists them.
VERBS = (collect, show, list_probes, upload, validate, pack, status)
