"""The words of a command line that may leave: options that are known, numbers, sizes and choices.

Everything else stays at the site, and a placeholder says what it was: $PATH1 (the same path has the same number),
$TESTDIR (in the folder that --directory names), $HOSTS, $TEXT, $VARIABLE, and $WORD for what nothing is known of.
What is known of which program is data: data/command-words.1.json.
"""

import os
import re

from collectors.node import io_environment
from collectors.privacy import leak_filter
from collectors.probes import command_line

MAX_WORDS = 200
NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,6})?")
SIZE = re.compile(r"\d{1,12}(?:\.\d{1,6})?(?:[kKmMgGtTpP]i?[bB]?|[bB]|us|ms|s|h|d)?")
# A size with others behind it, as in `-t 4k,1m`.
LIST_SEPARATOR = ","
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,60}")
ATTACHED = re.compile(r"(-[A-Za-z])(\d[^=]{0,30})")
IMAGE = re.compile(r"\.(?:sif|simg|img|sqsh|squashfs)$|:|@")
VARIABLE = re.compile(r"([A-Za-z_]\w{0,80})(?:=.*)?", re.DOTALL)
TABLE = command_line.TABLE


class Words:
    """Types the words of one command line; `directory` is where the benchmark writes, or None."""

    def __init__(self, directory=None):
        self.directory = os.path.abspath(directory) if directory else None
        self.paths = {}
        self.typed = []

    def add(self, kind, text):
        self.typed.append({"kind": kind, "text": text})

    def type_all(self, argv, is_program):
        """The typed words of a command line. `is_program(word)` says whether a word names a program that is there."""
        rest = list(argv)
        while rest:
            name = os.path.basename(rest[0])
            text = command_line.words_for_shell(rest)
            if text:
                self.add("wrapper", name)
                rest = text
                continue
            start = command_line.place_of_program(rest, is_program)
            if start is None:
                break
            self.add("launcher" if name in command_line.LAUNCHERS else "wrapper", name)
            self.type_options(rest[1:start], command_line.kinds_of_options(name), bundles=False)
            rest = rest[start:]
        if rest and os.path.basename(rest[0]) in command_line.CONTAINERS:
            self.add("wrapper", os.path.basename(rest[0]))
            start = place_in_container(rest)
            self.type_options(rest[1:start], {}, bundles=False)
            rest = rest[start:]
        if rest:
            self.add("program", program_name(rest[0]))
            program = command_line.known_program(rest[0])
            self.type_options(rest[1:], TABLE["programs"].get(program, {}), program in TABLE["bundled_flags"])
        return self.typed[:MAX_WORDS]

    def type_options(self, words, options, bundles):
        """Add the kind of each word of a command line: option, value of an option, or positional."""
        waiting = list(words[: 4 * MAX_WORDS])
        while waiting:
            word = waiting.pop(0)
            name, sign, value = word.partition("=")
            attached = ATTACHED.fullmatch(word)
            if word in options:
                self.add("option", word)
                for kind in kinds_of_values(options[word])[: len(waiting)]:
                    self.type_value(waiting.pop(0), kind)
            elif sign and name in options:
                self.add("option", name + "=")
                self.type_value(value, (kinds_of_values(options[name]) or ["text"])[0])
            elif attached and attached.group(1) in options and options[attached.group(1)] != "flag":
                self.add("option", attached.group(1))
                self.type_value(attached.group(2), kinds_of_values(options[attached.group(1)])[0])
            elif bundles and is_bundle(word, options):
                self.add("option", word)
            else:
                self.type_positional(word)

    def type_value(self, value, kind):
        """Add a value by its kind; what could name a person or a host becomes a placeholder."""
        if kind == "path":
            self.add("path", self.path(value))
        elif kind == "variable":
            name = VARIABLE.fullmatch(value)
            is_known = name and name.group(1) in io_environment.NAMES | {"LD_PRELOAD", "LD_LIBRARY_PATH", "PATH"}
            self.add("variable", name.group(1) if is_known else "$VARIABLE")
        elif kind == "hosts":
            self.add("hosts", "$HOSTS")
        elif is_harmless(value, kind):
            self.add("value", value)
        else:
            self.add("text", "$TEXT")

    def type_positional(self, word):
        """A word that belongs to no option that is known."""
        if command_line.ASSIGNMENT.match(word):
            self.type_value(word, "variable")
        elif not word.startswith("-") and is_like_path(word):
            self.add("path", self.path(word))
        else:
            self.add("word", "$WORD")

    def path(self, path):
        place = os.path.abspath(path)
        if self.directory and (place == self.directory or place.startswith(self.directory.rstrip("/") + "/")):
            return "$TESTDIR"
        return self.paths.setdefault(place, "$PATH%d" % (len(self.paths) + 1))


def place_in_container(argv):
    """The place of the benchmark behind `apptainer exec x.sif`, else the end; an image may be called like one."""
    for place in range(2, len(argv)):
        if command_line.known_program(argv[place]) and not IMAGE.search(argv[place]):
            return place
    return len(argv)


def program_name(word):
    """The file name of a program; $PROGRAM where it could tell more than that."""
    name = os.path.basename(word)
    return name if NAME.fullmatch(name) and not leak_filter.is_identifying(name) else "$PROGRAM"


def kinds_of_values(kind):
    if isinstance(kind, list):
        return [kind]
    return [] if kind == "flag" else kind.split(" ") if kind != "variable value" else ["variable", "text"]


def is_bundle(word, options):
    """Whether a word is several options of one letter without values: -wrF."""
    letters = word[1:]
    return (
        word.startswith("-")
        and 1 < len(letters) <= 20
        and all(options.get("-" + letter) == "flag" for letter in letters)
    )


def is_harmless(value, kind):
    """Whether a value has the form of its kind, and so tells nothing else."""
    parts = value.split(LIST_SEPARATOR)
    if isinstance(kind, list):
        return all(part in kind for part in parts)
    if kind == "binding":
        return bool(command_line.BINDING.fullmatch(value)) and not leak_filter.is_identifying(value)
    pattern = {"number": NUMBER, "size": SIZE}.get(kind)
    return pattern is not None and len(parts) <= 16 and all(pattern.fullmatch(part) for part in parts)


def is_like_path(word):
    return "/" in word or bool(re.fullmatch(r"[\w.+-]{1,200}\.(?:ini|fio|cfg|conf|txt|json|yaml|yml|sh|py|job)", word))
