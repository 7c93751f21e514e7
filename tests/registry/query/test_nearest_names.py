"""Names that somebody may have meant who wrote another one."""

from __future__ import annotations

from registry.query.public_record import nearest_names


def test_the_last_part_of_a_slug_leads_to_the_system() -> None:
    names = ["argonne-national-laboratory-aurora", "auroras", "frontera", "site-aurora-2"]
    assert nearest_names("Aurora", names)[:2] == ["site-aurora-2", "argonne-national-laboratory-aurora"]
    assert nearest_names("frontera", names)[0] == "frontera"
