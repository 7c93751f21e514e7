"""One module is one verb.

Each has ABOUT (one line), EXAMPLES (shown by --help), define(parser) and run(options, progress) -> exit status.
"""

from collectors.verbs import (
    collect,
    diff,
    example,
    explain,
    fold,
    import_,
    list_probes,
    pack,
    questionnaire,
    receipt,
    run,
    show,
    sign,
    status,
    upload,
    validate,
)

# In the order in which --help lists them.
VERBS = (
    collect,
    run,
    fold,
    import_,
    questionnaire,
    show,
    diff,
    list_probes,
    explain,
    example,
    upload,
    validate,
    pack,
    sign,
    status,
    receipt,
)
