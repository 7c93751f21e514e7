"""`completion`: a script that lets bash or zsh complete verbs, options and the words that they take."""

import argparse
import sys

from collectors import report
from collectors.errors import OK
from collectors.verbs import VERBS, define_verb

ABOUT = "print a script that completes verbs and options in bash or zsh"

EXAMPLES = """examples:
  %(prog)s bash >> ~/.bashrc
  %(prog)s zsh >> ~/.zshrc

The script completes `highwater` and `highwater.pyz`: the verbs and options of this version, and fixed values such
as those of --scope. It completes everything else as file names. It does not contact the registry.
"""

COMMANDS = "highwater highwater.pyz"
BASH = """_highwater() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" verb="${COMP_WORDS[1]}"
  local options="" first="" values=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "%(verbs)s" -- "$word"))
    return
  fi
  case "$verb" in
%(cases)s
  esac
  if [ "$word" = "=" ]; then
    word=""
  elif [ "$before" = "=" ]; then
    before="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "$verb $before" in
%(value_cases)s
  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [ -n "$first" ] && [ "$COMP_CWORD" -eq 2 ] && [ "${word#-}" = "$word" ]; then
    COMPREPLY=($(compgen -W "$first" -- "$word"))
  else
    case "$word" in
      -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
      *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
  fi
}
complete -o filenames -F _highwater %(commands)s
"""
ZSH = "autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n"


def define(verb):
    verb.add_argument("shell", metavar="bash|zsh", choices=("bash", "zsh"), help="bash or zsh")


def run(options, progress):
    parsers = {name: parser_of(name) for name in VERBS}
    script = (ZSH if options.shell == "zsh" else "") + BASH % {
        "verbs": " ".join(VERBS),
        "cases": "\n".join(verb_case(name, parser) for name, parser in parsers.items()),
        "value_cases": "\n".join(value_case(*row) for name in VERBS for row in closed_options(name, parsers[name])),
        "commands": COMMANDS,
    }
    if options.json:
        report.print_json({"shell": options.shell, "script": script})
    else:
        sys.stdout.write(script)
    return OK


def parser_of(name):
    """The parser of a verb alone."""
    parser = argparse.ArgumentParser()
    define_verb(name, parser)
    return parser


def verb_case(name, parser):
    """The branch of a verb: its long options, and the words that its first argument may be, if these are closed."""
    long_options = sorted(text for action in parser._actions for text in action.option_strings if text.startswith("--"))
    arguments = [action for action in parser._actions if not action.option_strings]
    first = words_of(arguments[0]) if arguments else []
    return '    %s) options="%s" first="%s" ;;' % (name, " ".join(long_options), " ".join(first))


def closed_options(name, parser):
    """(verb, option, values) of each option that takes one of a few words."""
    for action in parser._actions:
        for text in action.option_strings:
            if words_of(action):
                yield name, text, words_of(action)


def value_case(name, option, words):
    return '    "%s %s") values="%s" ;;' % (name, option, " ".join(words))


def words_of(action):
    """The words that an argument may be, without those that are taken for older scripts alone; [] for any."""
    if not action.choices:
        return []
    listed = action.metavar if isinstance(action.metavar, str) and "|" in action.metavar else None
    return listed.split("|") if listed else [str(word) for word in action.choices]
