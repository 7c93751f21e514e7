"""`fold`: make one document of what many nodes said."""

from collectors import report
from collectors.capture import launcher_output
from collectors.document import parameters
from collectors.document.fold import Fold, summary
from collectors.errors import OK
from collectors.files import write_json
from collectors.privacy import pseudonyms

ABOUT = "merge the documents of many nodes into one system document"

EXAMPLES = """examples:
  %(prog)s nodes.txt --out system.json
  %(prog)s node-*.json --out system.json
  srun --ntasks-per-node=1 --label python3 highwater.pyz collect --emit | %(prog)s - --out system.json

Equal nodes become one class with a count. A few nodes that differ little become outliers of the class,
with the node, the value, and the value of the others. Each file holds one document, or one document per
line, as `collect --emit` prints them. Lines may have labels of srun, mpirun, pdsh and clush. Anything
else counts as a failed node; the other nodes stay. `collect --launcher` does all of this at once.
"""


def define(verb):
    verb.add_argument("files", metavar="FILE", nargs="+", help="documents of nodes; - is standard input")
    verb.add_argument("--out", metavar="FILE", required=True, help="where to write the folded document")


def run(options, progress):
    fold = Fold(parameters.registry())
    # Labels are host names, and so is what stands before a line that nobody understands.
    names = pseudonyms.of_site(progress.note)

    def take(document, label):
        fold.add(document, label and names.of(label))

    for path in options.files:
        progress.update("reading %s, %d nodes so far" % (path, fold.reported))
        for label, reason in launcher_output.read_file(path, take):
            fold.fail(label and names.of(label), reason)
    folded = fold.document()
    write_json(options.out, folded)
    pseudonyms.keep_names(names, progress.note)
    progress.note(options.out + ": " + summary(folded))
    if options.json:
        report.print_json({"out": options.out, "captures": folded["captures"]})
    return OK
