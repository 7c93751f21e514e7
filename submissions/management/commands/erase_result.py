"""manage.py erase_result ID --category C --by ADMIN [--yes]: take a published result out for good, on request."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.dumps import editions
from registry.errors import Problem
from registry.models import Erasure
from submissions.models import Account
from submissions.publication.erasure import erase


class Command(BaseCommand):
    help = "Erase a published result with its revisions and stored files; without --yes, say what that would take out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("result", nargs="?", help="id of the result, such as hw-5")
        parser.add_argument("--category", choices=Erasure.Category.values, help="who asks, as everybody reads it")
        parser.add_argument("--by", help="the administrator who decides; only the committee reads it")
        parser.add_argument("--yes", action="store_true", help="do it; nothing can bring the result back")
        parser.add_argument("--list", action="store_true", help="print a command for each result erased so far")

    def handle(self, *args: Any, **options: Any) -> None:
        """Erase, preview or list, one line each. Raises CommandError for what is not named or refused."""
        if options["list"]:
            for row in Erasure.objects.select_related("result"):
                self.stdout.write(
                    f"erase_result {row.result.public_id} --category {row.category} --by {row.erased_by} --yes"
                )
            return
        if not (options["result"] and options["category"] and options["by"]):
            raise CommandError("Name the result, --category and --by.")
        administrator = Account.objects.filter(username=options["by"]).first()
        if administrator is None:
            raise CommandError(f"There is no account {options['by']!r}.")
        try:
            self._erase_or_preview(options["result"], administrator, options["category"], carry_out=options["yes"])
        except Problem as problem:
            raise CommandError(f"{problem.detail} {problem.hint}") from problem

    def _erase_or_preview(self, public_id: str, administrator: Account, category: str, *, carry_out: bool) -> None:
        if carry_out:
            plan = erase.erase_result(public_id, administrator, category)
        else:
            plan = erase.plan_erasure(public_id)
        verb = "erased" if carry_out else "would erase"
        self.stdout.write(f"{verb} results: {', '.join(result.public_id for result in plan.results)}")
        self.stdout.write(f"lists with a row without names: {', '.join(plan.lists) or 'none'}")
        self.stdout.write(f"submissions: {len(plan.submissions)}, stored files: {len(plan.received | plan.copies)}")
        if plan.reasons:
            self.stdout.write(
                f"stays: {plan.reasons} reasons in the history, which the committee and the submitter read"
            )
        if not carry_out:
            self.stdout.write("Nothing was changed. Add --yes to erase.")
            return
        try:
            held = erase.delete_bytes(plan)
        except Exception as error:
            digests = " ".join(sorted(plan.received | plan.copies))
            raise CommandError(
                f"The record is erased. Delete these stored files by hand: {digests} ({error})"
            ) from error
        for sha256 in held:
            self.stdout.write(f"stays: stored file {sha256}, which another submission holds")
        editions.build_if_due()
        self.stdout.write("The files of the whole record are made anew. Backups made before still hold the result.")
