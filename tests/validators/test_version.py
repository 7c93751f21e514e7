"""The version of the rules is raised where a report says something else."""

import json

from tools import rule_reports


def test_the_version_of_the_rules_is_raised_with_what_they_say():
    """Else a published number that new rules read otherwise passes for one that somebody edited."""
    stored, current = json.loads(rule_reports.STORED.read_text()), rule_reports.read_reports()
    differing = sorted(
        name
        for name in stored["reports"].keys() & current["reports"].keys()
        if stored["reports"][name] != current["reports"][name]
    )
    assert stored == current, (
        f"Reports of {', '.join(differing) or 'other samples'} changed. If version {stored['version']} was released, "
        "raise validators.VERSION. Then run python -m tools.rule_reports."
    )
