"""Write validators/benchmarks/io500/option_schemas.json from a full listing of IO500's options per release.

    python tools/io500_option_schemas.py LISTING.json > validators/benchmarks/io500/option_schemas.json

LISTING.json is a list of families {tags, default_config_hash, sections: [{name, optional_phase, options: [{name, type,
default}]}]}, one per set of releases that share their options. The compact form holds each distinct option once, with
the letters of the families that have it.
"""

import json
import sys
from pathlib import Path

KINDS = {"INI_BOOL": "bool", "INI_STRING": "text", "INI_FLOAT": "number"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def compact(listing):
    families = {}
    options = {}
    for letter, family in zip(LETTERS, listing, strict=False):
        families[letter] = {"tags": family["tags"], "default_hash": family["default_config_hash"]}
        for section in family["sections"]:
            for option in section["options"]:
                key = (section["name"], option["name"], KINDS.get(option["type"], "integer"), option["default"])
                options[key] = options.get(key, "") + letter
    return families, [
        [*key, letters] for key, letters in sorted(options.items(), key=lambda item: (item[0][:2], item[1]))
    ]


def main(path):
    families, options = compact(json.loads(Path(path).read_text()))
    print('{"schema": 1,\n "families": {')
    print(",\n".join(f'  "{letter}": {json.dumps(family)}' for letter, family in families.items()))
    print(' },\n "columns": ["section", "option", "kind", "default", "families"],\n "options": [')
    print(",\n".join(f"  {json.dumps(option)}" for option in options))
    print(" ]}")


if __name__ == "__main__":
    main(sys.argv[1])
