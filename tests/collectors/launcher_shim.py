"""Stands for srun, mpirun, pdsh, clush and ssh: runs the command once (or twice) on this machine for each node.

What a node does is in its name: hang, die, junk, nopython, half, flood, refuse; any other runs the command.
"""

import concurrent.futures
import os
import shlex
import signal
import subprocess
import sys

HANG = "trap '' TERM; sleep 1000 & wait"
INSTEAD = {
    "hang": HANG,
    "die": "kill -9 $$",
    "junk": "printf 'Welcome\\n\\001\\002{\"a\": 1}\\n'",
    "nopython": "echo 'bash: line 1: python3: command not found' >&2; exit 127",
    "flood": "yes x",
}


def of_node(name, command, environ):
    """(stdout, stderr, exit status) of one node, as bytes."""
    kind = name.rstrip("0123456789")
    command = ["sh", "-c", INSTEAD[kind]] if kind in INSTEAD else command
    done = subprocess.run(command, env={**os.environ, **environ}, capture_output=True, stdin=subprocess.DEVNULL)
    half = done.stdout[: len(done.stdout) // 2]
    return (half if kind == "half" else done.stdout), done.stderr, done.returncode


def say(stream, data):
    stream.buffer.write(data)
    stream.flush()


def labelled(label, data):
    return b"".join(label.encode() + b": " + line + b"\n" for line in data.splitlines())


def each(nodes, command, environs=({},)):
    """Yield (number, node, stdout, stderr, status) as they end."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        futures = {
            pool.submit(of_node, node, command, environ): (number, node)
            for number, node in enumerate(nodes)
            for environ in environs
        }
        for future in concurrent.futures.as_completed(futures):
            yield (*futures[future], *future.result())


def value_of(arguments, name):
    """The value of an option, given as `--name=value`, `--name value` or `-w value`."""
    for position, word in enumerate(arguments):
        if word.startswith(name + "="):
            return word.partition("=")[2]
        if word == name:
            return arguments[position + 1]
    raise SystemExit(f"no {name} in {arguments}")


def command_in(arguments):
    """What follows the launcher's own options: it begins with `env` or a path."""
    start = next(position for position, word in enumerate(arguments) if word == "env" or word.startswith("/"))
    return arguments[start:]


def srun(arguments):
    nodes = value_of(arguments, "--nodelist").split(",")
    assert value_of(arguments, "--ntasks") == str(len(nodes))
    for number, _node, stdout, stderr, _status in each(
        nodes, command_in(arguments), ({"SLURM_LOCALID": "0"}, {"SLURM_LOCALID": "1"})
    ):
        for start in range(0, len(stdout), 1000):
            say(sys.stdout, labelled(str(number), stdout[start : start + 1000]))
        say(sys.stderr, labelled(str(number), stderr))
    return 0


def mpirun(arguments):
    if arguments == ["--version"]:
        print("mpirun (Open MPI) 4.1.4")
        return 0
    nodes = value_of(arguments, "--host").split(",")
    timed_pieces = []
    for number, _node, stdout, _stderr, _status in each(
        nodes, command_in(arguments), ({"OMPI_COMM_WORLD_LOCAL_RANK": "0"},)
    ):
        timed_pieces += [
            (start, b"[1,%d]<stdout>:" % number + stdout[start : start + 4096]) for start in range(0, len(stdout), 4096)
        ]
    for _start, piece in sorted(timed_pieces):
        say(sys.stdout, piece)
    return 0


def pdsh(arguments):
    nodes = value_of(arguments, "-w").split(",")
    for _number, node, stdout, stderr, status in each(nodes, ["sh", "-c", arguments[-1]]):
        say(sys.stdout, labelled(node, stdout))
        say(sys.stderr, labelled(node, stderr))
        if status:
            say(sys.stderr, b"pdsh@login: %s: ssh exited with exit code %d\n" % (node.encode(), status))
    return 0


clush = pdsh


def ssh(arguments):
    *_options, node, text = arguments
    assert shlex.split(text)
    if node.startswith("refuse"):
        say(sys.stderr, b"ssh: connect to host %s port 22: Connection refused\n" % node.encode())
        return 255
    if node.startswith(("hang", "flood")):
        os.execvp("sh", ["sh", "-c", INSTEAD[node.rstrip("0123456789")]])
    stdout, stderr, status = of_node(node, ["sh", "-c", text], {})
    say(sys.stdout, stdout)
    say(sys.stderr, stderr)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(globals()[sys.argv[0].rpartition("/")[2]](sys.argv[1:]))
