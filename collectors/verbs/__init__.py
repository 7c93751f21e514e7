"""One module is one verb.

Each has ABOUT (one line), EXAMPLES (shown by --help), define(parser) and run(options, progress) -> exit status.
"""

from collectors.verbs import pack, status, upload, validate

# In the order in which --help lists them.
VERBS = (upload, validate, pack, status)
