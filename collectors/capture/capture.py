"""One look at the machines: at this node, or at every node that a launcher reaches."""

import os
import time

from collectors.capture import launch
from collectors.capture import node_document as capture_node_document
from collectors.document import assemble, parameters
from collectors.document.fold import Fold
from collectors.errors import UsageError
from collectors.node import node_ranges
from collectors.node.commands import Recorded
from collectors.node.node_access import NodeAccess
from collectors.privacy import pseudonyms
from collectors.privacy.profiles import PROFILES, Redactor
from collectors.probes import all_probes, site_probes
from collectors.server.options import seconds

ROLES = ("client", "oss", "mds")


def add_options(verb):
    """The options of every verb that looks at machines."""
    verb.add_argument("--role", choices=ROLES, default="client", help="role of these nodes (%(default)s)")
    verb.add_argument("--profile", choices=PROFILES, default="default", help="what may leave the site (%(default)s)")
    verb.add_argument(
        "--directory", metavar="DIR", help="folder that the benchmark writes to: its layout is recorded, not its name"
    )
    verb.add_argument("--root", metavar="DIR", default="/", help="read a node from a folder instead of /")
    verb.add_argument("--commands", metavar="FILE", help="use recorded answers instead of running commands")
    site_probes.define(verb)
    verb.add_argument("--launcher", choices=launch.LAUNCHERS, help="launcher that starts the collector on many nodes")
    verb.add_argument("--nodes", metavar="NODES", help="the nodes, such as nid[001-010,15],login1")
    verb.add_argument(
        "--node-timeout",
        metavar="SECONDS",
        type=seconds,
        default=launch.NODE_TIMEOUT_S,
        help="give up on a node after this many seconds (%(default)g)",
    )


def require_consistent_options(options):
    """Raise UsageError where the options contradict each other, before anything is started."""
    if bool(options.launcher) != bool(options.nodes):
        raise UsageError(
            "collector.nodes", "--launcher and --nodes go together.", "Give both, or neither for this node."
        )
    if options.nodes:
        node_ranges.expand_names(options.nodes)
    if not os.path.isdir(options.root):
        raise UsageError("collector.root", options.root + " is not a folder.", "Give the root of a node's files.")


def run_capture(options, progress, phase="static", benchmark_argv=None):
    """The document of this node, or of all that the launcher reaches, as the options say."""
    require_consistent_options(options)
    names = pseudonyms.of_site(progress.note)
    redactor = Redactor(options.profile, names)
    if options.launcher:
        document = of_many_nodes(options, progress, phase, redactor)
        if benchmark_argv is not None:
            here = of_this_node(options, progress, phase, redactor, benchmark_argv)
            document = add_job(document, here, parameters.registry())
    else:
        document = of_this_node(options, progress, phase, redactor, benchmark_argv)
    pseudonyms.keep_names(names, progress.note)
    return document


def of_this_node(options, progress, phase, redactor, benchmark_argv):
    recorded = Recorded(options.commands) if options.commands else None
    door = NodeAccess(options.root, recorded, test_directory=options.directory, benchmark_argv=benchmark_argv)
    look = assemble.Capture(phase=phase, role=options.role, started=utc_now(), member=redactor.name(host_name(door)))
    probes = all_probes() + site_probes.of_site(options.probes, progress.note)
    return capture_node_document.node_document(door, look, redactor, tell=progress.update, probes=probes)


def of_many_nodes(options, progress, phase, redactor):
    """Start `collect --emit` on each node through the launcher and fold what they print into one document."""
    nodes = node_ranges.expand_names(options.nodes)
    fold = Fold(parameters.registry())
    command = launch.this_collector() + ["collect", "--emit", "--role", options.role, "--profile", options.profile]
    paths_by_option = {"--directory": options.directory, "--commands": options.commands, "--probes": options.probes}
    paths_by_option["--root"] = options.root if options.root != "/" else None
    for name in sorted(paths_by_option):
        # A launcher may start us in another folder.
        command += [name, os.path.abspath(paths_by_option[name])] if paths_by_option[name] else []
    launch.gather(options.launcher, nodes, command, fold, redactor.name, progress, options.node_timeout)
    document = fold.document(options.launcher, len(nodes))
    document["captures"][0].update(id=phase, phase=phase)
    return document


def add_job(document, here, registry):
    """A document of many nodes with what only the node that starts the benchmark knows: its command and environment."""
    job_parameters = [
        entry for entry in here["node_classes"][0]["parameters"] if registry[entry["id"]]["scope"] == "job"
    ]
    names = {entry["id"] for entry in job_parameters}
    for node_class in document["node_classes"]:
        if "client" in node_class["role"]:
            other_parameters = [entry for entry in node_class["parameters"] if entry["id"] not in names]
            node_class["parameters"] = sorted(
                other_parameters + job_parameters, key=lambda entry: (entry["id"], entry.get("key", ""))
            )
            node_class["missing"] = [entry for entry in node_class["missing"] if entry["id"] not in names]
    if "job" in here:
        document["job"] = here["job"]
    return document


def utc_now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def host_name(door):
    return (door.file("/proc/sys/kernel/hostname").text or door.file("/etc/hostname").text or "").strip()
