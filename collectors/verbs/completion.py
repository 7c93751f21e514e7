"""`completion`: a script that lets bash or zsh complete verbs and options."""

import argparse
import sys

from collectors import report
from collectors.errors import OK
from collectors.verbs import VERBS, define_verb

ABOUT = "print a script that completes verbs and options in bash or zsh"

EXAMPLES = """examples:
  %(prog)s bash >> ~/.bashrc
  %(prog)s zsh >> ~/.zshrc

It completes `highwater` and `highwater.pyz`, asks no registry, and knows the verbs and options of this version.
Words that are neither are completed as files.
"""

COMMANDS = "highwater highwater.pyz"
BASH = """_highwater() {
  local word="${COMP_WORDS[COMP_CWORD]}" verb="${COMP_WORDS[1]}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "%(verbs)s" -- "$word"))
    return
  fi
  case "$verb" in
%(cases)s
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _highwater %(commands)s
"""
ZSH = "autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n"


def define(verb):
    verb.add_argument("shell", metavar="bash|zsh", choices=("bash", "zsh"), help="bash or zsh")


def run(options, progress):
    script = (ZSH if options.shell == "zsh" else "") + BASH % {
        "verbs": " ".join(VERBS),
        "cases": "\n".join('    %s) options="%s" ;;' % (name, " ".join(options_of(name))) for name in VERBS),
        "commands": COMMANDS,
    }
    if options.json:
        report.print_json({"shell": options.shell, "script": script})
    else:
        sys.stdout.write(script)
    return OK


def options_of(name):
    """The long options of a verb, as it defines them."""
    parser = argparse.ArgumentParser()
    define_verb(name, parser)
    return sorted(text for action in parser._actions for text in action.option_strings if text.startswith("--"))
