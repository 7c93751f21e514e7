"""manage.py verify_record: hold bytes, tables, lists, decisions and the log against each other."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.log import signed_note, signing
from submissions.publication.verification import whole_record


class Command(BaseCommand):
    help = "Derive every published number again and hold tables, lists, decisions and the log against each other."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--checkpoint", metavar="FILE", help="a checkpoint of the log that you kept, as /log/ gives it"
        )
        parser.add_argument(
            "--without-bytes", action="store_true", help="do not derive numbers again from stored bytes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        earlier = self._read_checkpoint(options["checkpoint"]) if options["checkpoint"] else (None, None)
        verification = whole_record.Verification(*earlier, with_bytes=not options["without_bytes"])
        breaks = 0
        for sentence in verification.find_breaks(self._show_progress):
            self._write_sentence(sentence)
            breaks += 1
        for sentence in verification.unknown_sentences():
            self._write_sentence(sentence)
        if breaks:
            raise CommandError(f"The record is not whole: {breaks} things do not fit.")
        self.stdout.write(f"The record is whole: {verification.sum_up()}.")

    def _write_sentence(self, sentence: str) -> None:
        """Print it without what a terminal obeys: names in it may have been written past the registry."""
        self.stdout.write("".join(sign if sign.isprintable() else "?" for sign in sentence))

    def _show_progress(self, text: str) -> None:
        self.stderr.write(text, self.style.NOTICE if sys.stderr.isatty() else None)

    def _read_checkpoint(self, path: str) -> tuple[signed_note.Checkpoint, datetime | None]:
        """The checkpoint in a file, and the time that was signed with it. Raises CommandError where there is none."""
        try:
            note = Path(path).read_text(encoding="utf-8")
            return signed_note.read_checkpoint(note), signed_note.read_signed_time(note, signing.verifier_keys())
        except (OSError, UnicodeDecodeError, signed_note.BadNote) as error:
            raise CommandError(f"{path} holds no checkpoint: {error}") from error
