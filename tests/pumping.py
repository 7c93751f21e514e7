"""Every regular expression of the code, and texts made to be slow for it.

A pattern is found where it lives, so that a new one is looked at without an edit: in the values of modules, and as
text where a function of `re` is called. The texts are made of the pattern itself: of each beginning of a match, what
may be repeated there is repeated, then comes what cannot match.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from validators.scrubbing import late_patterns

ROOT = Path(__file__).resolve().parent.parent
USES = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}
_OF_TEXT = USES | {"compile"}
_FROM_EACH_PLACE = ("search", "finditer", "findall", "sub", "subn", "split")
"""What begins anew at each place of the text; the others begin at one place only."""
_LONGEST_PUMP = 40
_MOST_TEXTS = 400
_STRANGE = "\x01"
_OFTEN = (
    " ",
    "\t",
    "0",
    "a",
    "A",
    "/",
    ":",
    "-",
    ".",
    ",",
    "=",
    '"',
    "'",
    "[",
    "(",
    "<",
    "@",
    "_",
    "|",
    "\n",
    "a ",
    "0 ",
    "a.",
)
"""Units that are repeated for every pattern, whatever it is made of."""


@dataclass(frozen=True)
class Pattern:
    """A regular expression, where it stands, and which of its methods are called; none where that is not known."""

    where: str
    compiled: re.Pattern[Any]
    uses: frozenset[str]

    @property
    def begins_anywhere(self) -> bool:
        return not self.uses or bool(self.uses & set(_FROM_EACH_PLACE))


# Where patterns are


def patterns(package: str) -> list[Pattern]:
    """Every pattern of a package: the values of its modules, and what functions of `re` are called with."""
    sources = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / package).rglob("*.py"))}
    uses = _uses(sources)
    pattern_by_key: dict[tuple[Any, int], Pattern] = {}
    modules = list(_modules(package))
    late_patterns.compile_all()
    for module in modules:
        for name, value in vars(module).items():
            for compiled in _patterns_in(value, set()):
                place = module.__name__ if name.startswith("_") else ""
                pattern_uses = uses.get((place, name), frozenset()) if isinstance(value, re.Pattern) else frozenset()
                _add(pattern_by_key, Pattern(f"{module.__name__}.{name}", compiled, pattern_uses))
    for path, tree in sources.items():
        for text, flags, use, line in _calls(tree):
            where = f"{path.relative_to(ROOT)}:{line}"
            _add(pattern_by_key, Pattern(where, re.compile(text, flags), frozenset({use})))
    return list(pattern_by_key.values())


def unreadable_calls(package: str) -> list[str]:
    """Functions of `re` that are called with what can't be told by reading the line, as `path:line`."""
    places = []
    for path in sorted((ROOT / package).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        read_lines = {line for _, _, _, line in _calls(tree)}
        at_module_level = {id(call) for node in tree.body if not _is_definition(node) for call in ast.walk(node)}
        places += [
            f"{path.relative_to(ROOT)}:{call.lineno}"
            for call in _re_calls(tree)
            if call.lineno not in read_lines and id(call) not in at_module_level
        ]
    return places


def _is_definition(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)


def _add(pattern_by_key: dict[tuple[Any, int], Pattern], new: Pattern) -> None:
    key = (new.compiled.pattern, new.compiled.flags)
    old = pattern_by_key.get(key)
    uses = new.uses | old.uses if old and old.uses and new.uses else frozenset()
    pattern_by_key[key] = Pattern(old.where, old.compiled, uses) if old else new


def _modules(package: str) -> Iterator[Any]:
    root = importlib.import_module(package)
    yield root
    for module in pkgutil.walk_packages(root.__path__, f"{package}."):
        if not module.name.rpartition(".")[2].startswith("__") and ".migrations" not in module.name:
            yield importlib.import_module(module.name)


def _patterns_in(value: Any, seen_ids: set[int]) -> Iterator[re.Pattern[Any]]:
    """The patterns in a value of a module: in collections, and in objects of our own."""
    if isinstance(value, re.Pattern):
        yield value
        return
    if id(value) in seen_ids or len(seen_ids) > 5000:
        return
    seen_ids.add(id(value))
    if isinstance(value, dict):
        parts: Any = chain(value.keys(), value.values())
    elif isinstance(value, list | tuple | set | frozenset):
        parts = value
    elif type(value).__module__.partition(".")[0] in ("validators", "submissions", "collectors", "registry"):
        parts = list(vars(value).values()) if hasattr(value, "__dict__") else []
    else:
        return
    for part in parts:
        yield from _patterns_in(part, seen_ids)


def _uses(sources: dict[Path, ast.Module]) -> dict[tuple[str, str], frozenset[str]]:
    """Which methods are called on each name, by its module where it is private to it.

    A name that is used in another way may be called in any, and is left out.
    """
    calls: dict[tuple[str, str], set[str]] = {}
    plain: set[tuple[str, str]] = set()
    for path, tree in sources.items():
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in USES | {"pattern", "flags"}:
                name = _name(node.value)
                if name:
                    called.add(id(node.value))
                    calls.setdefault((module if name.startswith("_") else "", name), set()).update({node.attr} & USES)
        for node in ast.walk(tree):
            is_read = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            if is_read and id(node) not in called and (name := _name(node)):
                plain.add((module if name.startswith("_") else "", name))
    return {place: frozenset(methods) for place, methods in calls.items() if methods and place not in plain}


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _re_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in _OF_TEXT and ast.unparse(called.value) == "re":
            yield node


def _calls(tree: ast.AST) -> Iterator[tuple[Any, int, str, int]]:
    """Text, flags, method and line of each call whose pattern is written there."""
    for call in _re_calls(tree):
        assert isinstance(call.func, ast.Attribute)
        try:
            text = ast.literal_eval(call.args[0])
            flags = 0
            for flag in [arg for arg in call.args[1:] if "re." in ast.unparse(arg)] + [
                k.value for k in call.keywords if k.arg == "flags"
            ]:
                flags |= eval(compile(ast.Expression(flag), "flags", "eval"), {"re": re})
        except (ValueError, NameError):
            continue
        if call.func.attr in USES:
            yield text, flags, call.func.attr, call.lineno


# Texts that are slow for a pattern


def texts(compiled: re.Pattern[Any]) -> list[Callable[[int], Any]]:
    """Functions that give a text of about so many characters, each of another make."""
    tree = parser.parse(
        compiled.pattern, compiled.flags & ~re.UNICODE if isinstance(compiled.pattern, bytes) else compiled.flags
    )
    beginnings = _beginnings(tree)
    units = list(dict.fromkeys([*_OFTEN, *_units(tree)]))
    always = [("", unit, tail) for unit in units for tail in (_STRANGE, "")]
    parts = []
    last_beginning = beginnings[-1]
    for beginning in dict.fromkeys(beginnings):
        parts += [("", beginning, tail) for tail in (_STRANGE,) if beginning]
        own = [*_units(tree), " ", "0", "a"]
        parts += [(beginning, unit, _STRANGE) for unit in dict.fromkeys(own) if beginning]
    parts += [("", last_beginning + sep, "") for sep in (" ", "\n", "")]
    parts = list(dict.fromkeys(parts))
    parts = list(dict.fromkeys([*always, *parts[:: len(parts) // _MOST_TEXTS + 1]]))
    is_bytes = isinstance(compiled.pattern, bytes)
    return [_Text(*text_parts, is_bytes=is_bytes) for text_parts in parts if text_parts[1]]


class _Text:
    def __init__(self, begin: str, unit: str, tail: str, *, is_bytes: bool) -> None:
        self.begin, self.unit, self.tail, self.is_bytes = begin, unit, tail, is_bytes

    def __call__(self, size: int) -> Any:
        text = self.begin + self.unit * (size // len(self.unit) + 1) + self.tail
        return text.encode("utf-8", "replace") if self.is_bytes else text

    def __repr__(self) -> str:
        return f"{self.begin[:60]!r} + {self.unit[:60]!r} * n + {self.tail!r}"


def _beginnings(tree: Any) -> list[str]:
    """Each beginning of one text that the pattern matches, from nothing to all of it; of alternatives each in turn."""
    done = [""]
    for node in tree:
        options = _samples(node)
        base = done[-1]
        for option in options[1:]:
            done.insert(len(done) - 1, base + option)
        done += [base + step for step in _steps(node, options[0])]
    return done


def _steps(node: Any, sample: str) -> list[str]:
    kind, argument = node
    if kind is op.SUBPATTERN:
        return _beginnings(argument[-1])[1:] or [sample]
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [*_beginnings(argument[2])[1:], sample]
    return [sample]


def _samples(node: Any) -> list[str]:
    """Texts that one element of a pattern matches, the most common first."""
    kind, argument = node
    if kind is op.LITERAL:
        return [chr(argument)]
    if kind is op.NOT_LITERAL:
        return ["a" if argument != ord("a") else "b"]
    if kind is op.ANY:
        return ["a"]
    if kind is op.IN:
        return _of_set(argument) or ["a"]
    if kind is op.BRANCH:
        return [_text(branch) for branch in argument[1]]
    if kind is op.SUBPATTERN:
        return [_text(argument[-1])]
    if kind is op.ATOMIC_GROUP:
        return [_text(argument)]
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, _most, body = argument
        return [_text(body) * max(least, 1)]
    return [""]


def _text(tree: Any) -> str:
    return "".join(_samples(node)[0] for node in tree)


_CLASSES = {
    op.CATEGORY_DIGIT: "0", op.CATEGORY_SPACE: " ", op.CATEGORY_WORD: "a",
    op.CATEGORY_NOT_DIGIT: "a", op.CATEGORY_NOT_SPACE: "a", op.CATEGORY_NOT_WORD: " ",
}  # fmt: skip


def _of_set(items: Any) -> list[str]:
    """A character for each part of a set; for a negated one what is in none of its parts."""
    if items and items[0][0] is op.NEGATE:
        refused = set(_of_set(items[1:]))
        return [character for character in "a0 -./" if character not in refused and not _holds(items[1:], character)][
            :3
        ]
    return [
        chr(value) if kind is op.LITERAL else chr(value[0]) if kind is op.RANGE else _CLASSES.get(value, "a")
        for kind, value in items
    ]


def _holds(items: Any, character: str) -> bool:
    for kind, value in items:
        if kind is op.LITERAL and value == ord(character):
            return True
        if kind is op.RANGE and value[0] <= ord(character) <= value[1]:
            return True
        if kind is op.CATEGORY:
            test = {op.CATEGORY_DIGIT: str.isdigit, op.CATEGORY_SPACE: str.isspace}.get(value, str.isalnum)
            if test(character):
                return True
    return False


def _units(tree: Any) -> list[str]:
    """What a text may hold many of: each literal, a character of each set, a sample of each repeated part."""
    units: list[str] = []
    for kind, argument in tree:
        if kind is op.BRANCH:
            for branch in argument[1]:
                units += _units(branch)
        elif kind is op.SUBPATTERN:
            units += _units(argument[-1])
        elif kind is op.ATOMIC_GROUP:
            units += _units(argument)
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            body = argument[2]
            units += _units(body)
            units.append(_text(body)[:_LONGEST_PUMP])
        else:
            units += _samples((kind, argument))[:3]
    return [unit for unit in dict.fromkeys(units) if unit]


# How long a text takes


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The least CPU time of this thread that the work took: other processes of a busy machine do not count."""
    best = float("inf")
    for _ in range(times):
        begun = time.thread_time()
        work()
        best = min(best, time.thread_time() - begun)
    return best


def runs_of(pattern: Pattern, text: Any) -> Callable[[], object]:
    if pattern.begins_anywhere:
        return lambda: sum(1 for _ in pattern.compiled.finditer(text))
    return lambda: (pattern.compiled.match(text), pattern.compiled.fullmatch(text))


SHORT, LONG = 512, 2048
"""Characters of a first look. One that is not linear shows there already, in a hundredth of the time."""
LONGEST = 2**18
TINY, TINY_S = (8, 12, 16, 20, 24, 28, 32, 48, 64, 128), 0.02
"""So short a text takes no time: what takes any is exponential, and would never come back from a longer one."""
NOTHING_S = 0.00005
SUSPICIOUS = 6.0
"""What four times the text may take more, in a first look that noise may disturb: 4 is linear, 16 quadratic."""
MEASURABLE_S = 0.004
MOST_S = 1.0
GROWTH = 2.5
"""What twice the text may take more, in a second look."""
CLEARLY = 3.4
"""What is believed after few measurements: 4 is quadratic."""


def growth(
    work_of: Callable[[int], Callable[[], object]],
    short: int = SHORT,
    long: int = LONG,
    *,
    most_s: float = MOST_S,
    measurable_s: float = MEASURABLE_S,
    longest: int = LONGEST,
    tiny: Sequence[int] = TINY,
) -> float:
    """By how much the time grows when the text doubles: about 2 where it is linear, 1 where it takes next to nothing.

    A first look at short texts; only what is suspicious there is measured again, at lengths that stand above the noise.
    """
    if any(seconds(work_of(size)) > TINY_S and seconds(work_of(size), 3) > TINY_S for size in tiny):
        return float("inf")
    took = seconds(work_of(short))
    if took < most_s:
        longer = seconds(work_of(long))
        if longer < NOTHING_S or longer <= SUSPICIOUS * took:
            return 1.0
    return doubled(work_of, long // 8, longest, most_s, measurable_s)


def doubled(
    work_of: Callable[[int], Callable[[], object]], size: int, longest: int, most_s: float, measurable_s: float
) -> float:
    """The growth at the first size whose time can be measured. Only the least of several, several times, is believed.

    Beginning small, since what is exponential never comes back from a long text.
    """
    took = seconds(work_of(size))
    while took < measurable_s and size < longest:
        size *= 2
        took = seconds(work_of(size))
    if took < measurable_s:
        return 1.0
    if took > most_s:
        return float("inf")
    ratio = float("inf")
    for times in (1, 3, 7, 15, 31):
        first = seconds(work_of(size), times)
        ratio = min(ratio, seconds(work_of(2 * size), times) / first)
        if ratio <= GROWTH or (times > 1 and ratio > CLEARLY):
            return ratio
        # In between may be a repeat with a bound that is not far below this size: it is linear above.
        if times > 1 and 8 * size <= longest:
            size *= 2
    return ratio


def slowness(pattern: Pattern) -> str:
    """Where a pattern is, and which text it takes too long for; nothing for a linear one."""
    for text in texts(pattern.compiled):
        grown = growth(lambda size, text=text: runs_of(pattern, text(size)))
        if grown > GROWTH:
            return f"{pattern.where}: twice the text takes {grown:.1f} times as long, as of {text!r}"
    return ""


# What was measured before


LINEAR_PATTERNS = Path(__file__).with_name("linear_patterns.txt")
"""Patterns that were measured: the first line says by which code and Python, each other one is a pattern."""


def digest_of(pattern: Pattern) -> str:
    content = (pattern.compiled.pattern, pattern.compiled.flags, sorted(pattern.uses))
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def measured_by() -> str:
    """What the measurement of a pattern depends on beside the pattern."""
    code = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    return f"{code} Python {sys.version_info.major}.{sys.version_info.minor}"


def measured_patterns() -> set[str]:
    """Digests of the patterns that were linear when this code measured them with this Python."""
    head, *digests = LINEAR_PATTERNS.read_text(encoding="utf-8").splitlines()
    return set(digests) if head == measured_by() else set()


def write_measured(package: str) -> None:
    """Measure all patterns of a package anew, and write down which of them are linear."""
    linear = {digest_of(pattern) for pattern in patterns(package) if not slowness(pattern)}
    LINEAR_PATTERNS.write_text("\n".join([measured_by(), *sorted(linear), ""]), encoding="utf-8")


if __name__ == "__main__":  # ./dev.py exec python -m tests.pumping
    write_measured("validators")
