"""The recipe of a run of IO500: a config.ini of its options, or the commands of its phases where no file tells them."""

from __future__ import annotations

import re
from typing import Any

from validators import recipes
from validators.benchmarks.io500.evidence import Evidence
from validators.benchmarks.io500.options import Settings, families, read_settings
from validators.benchmarks.ior.recipe import APIS, PACKETS
from validators.benchmarks.ior.recipe import PLACES as IOR_PLACES
from validators.benchmarks.ior.recipe import find_options as find_ior_options
from validators.benchmarks.mdtest.recipe import PLACES as MDTEST_PLACES
from validators.benchmarks.mdtest.recipe import find_options as find_mdtest_options
from validators.recipes import LEFT_OUT, TESTDIR, Facts, GivenOptions, Missing, Program
from validators.recipes.data_set import DataSet

CONFIGURATION = "config.ini"
_PLACES = {
    "datadir": f"{TESTDIR}/data",
    "resultdir": f"{TESTDIR}/results",
    "external-script": f"{TESTDIR}/find.sh",
    "pause-dir": f"{TESTDIR}/pause",
}
_WORDS = APIS | PACKETS | frozenset(["node", "core", "socket", "slot", "numa", "none", "mpirun", "mpiexec", "srun"])
_DROP_CACHES = 'sudo -n bash -c "echo 3 > /proc/sys/vm/drop_caches"'
_EXTERNAL = Missing(
    "script of the find phase", "The run used a script of its own, which is not among its options.", "The find rate."
)
_NO_CONFIGURATION = Missing(
    "config.ini", "No file of the run tells its options; the commands of its phases do.", "Options without a command."
)
_SOME_OPTIONS = Missing(
    "other options", "Of this result only the options shown here were kept.", "Phases that these options steer."
)
_STORED = re.compile(r"(ior|mdtest)_(easy|hard)_(\w+)")


def find_options(evidence: Evidence) -> GivenOptions | None:
    """The options of a run: by its configuration, else by the commands of its phases; None where no file says it."""
    settings: Settings = {}
    for written in reversed(list(evidence.settings.values())):
        settings |= written
    if settings:
        return _public_settings(settings)
    commands, left_out = {}, set[str]()
    for phase in (phase.name for phase in evidence.phases):
        command = evidence.command(phase) or evidence.started_with.get(phase, ("", ""))[0]
        find = find_ior_options if phase.startswith("ior") else find_mdtest_options
        if phase.startswith(("ior", "mdtest")) and (given_options := find(command)):
            commands[phase] = given_options["options"]
            left_out |= {f"{phase} {name}" for name in given_options[LEFT_OUT]}
    return {"commands": commands, LEFT_OUT: sorted(left_out)} if commands else None


def _public_settings(settings: Settings) -> GivenOptions:
    """The options by section. None is a place; a value that may tell of people or machines is left out."""
    option_rows: dict[str, dict[str, str | None]] = {}
    left_out: list[str] = []
    for (section, option), value in settings.items():
        spelt_section, name = _spell_setting(section, option)
        if not (recipes.is_name(name) and recipes.is_name(spelt_section)):
            left_out.append("an option with an unusual name")
        elif option in _PLACES:
            option_rows.setdefault(spelt_section, {})[name] = None
        else:
            public_value = value if value == _DROP_CACHES else recipes.mask_value(name, value, _WORDS)
            option_rows.setdefault(spelt_section, {})[name] = public_value
    return {"settings": option_rows, LEFT_OUT: left_out}


def _spell_setting(section: str, option: str) -> tuple[str, str]:
    """A section and an option as the newest release that has them spells them."""
    for family in reversed(families()):
        if option_row := family.options.get((section, option)):
            return option_row.section, option_row.name
    return section, option


def write_program(facts: Facts, given_options: GivenOptions | None) -> Program:
    """config.ini, or the command of each phase; of an older result, the options that it shows."""
    if given_options is None:
        return _write_stored(facts)
    missing = recipes.values_missing(given_options)
    if "settings" not in given_options:
        commands = {phase: _phase_command(phase, options) for phase, options in given_options["commands"].items()}
        return Program(commands=commands, missing=[*missing, _NO_CONFIGURATION])
    if any("external-script" in options for options in given_options["settings"].values()):
        missing.append(_EXTERNAL)
    return Program(
        ["io500", CONFIGURATION], files={CONFIGURATION: _configuration_text(given_options["settings"])}, missing=missing
    )


def _phase_command(phase: str, options: list[list[str | None]]) -> list[str]:
    tool, places = ("ior", IOR_PLACES) if phase.startswith("ior") else ("mdtest", MDTEST_PLACES)
    place = TESTDIR + "/" + re.sub(r"-(?:write|read|stat|delete)$", "", phase)
    return [tool, *recipes.command_arguments({"options": options}, dict.fromkeys(places, place))]


def _configuration_text(settings: dict[str, dict[str, str | None]]) -> str:
    lines = []
    for section, options in settings.items():
        lines += [f"[{section}]", *(f"{name} = {_option_value(name, value)}" for name, value in options.items()), ""]
    return "\n".join(lines)


def _option_value(name: str, value: str | None) -> str:
    return _PLACES[name.lower()] if value is None else value


def _write_stored(facts: Facts) -> Program:
    stored: dict[str, dict[str, str | None]] = {}
    for name, value in facts.parameters.items():
        match = _STORED.fullmatch(name)
        if match and isinstance(value, str) and recipes.is_public(value):
            section, option = _spell_setting(f"{match[1]}-{match[2]}", match[3].replace("_", "-"))
            stored.setdefault(section, {})[option] = value
    if not stored:
        return Program(missing=[recipes.UNKNOWN_COMMAND])
    return Program(
        ["io500", CONFIGURATION], files={CONFIGURATION: _configuration_text(stored)}, missing=[_SOME_OPTIONS]
    )


def size_data_set(facts: Facts, given_options: GivenOptions) -> DataSet:
    """Not known from options: writing ends by time, after which each process writes as much as the fastest did."""
    return DataSet(None, "writing ends by time, so that a faster system writes more; plan for its rate x 300 s a phase")


def read_options(program: Program) -> GivenOptions | None:
    """The options that config.ini, or the commands of the phases, give."""
    if CONFIGURATION in program.files:
        given_options: dict[str, Any] = _public_settings(read_settings(program.files[CONFIGURATION].splitlines()))
        return given_options
    commands = {}
    for phase, arguments in program.commands.items():
        find = find_ior_options if phase.startswith("ior") else find_mdtest_options
        commands[phase] = (find(" ".join(arguments)) or {"options": []})["options"]
    return {"commands": commands} if commands else None
