"""Follow a system: be told of steps in its numbers, from then on. Nobody follows a system without saying so."""

from __future__ import annotations

from django.db import transaction

from registry.models import Step
from registry.query import public_record
from submissions.errors import FollowingRefused, NotFollowed
from submissions.models import Account, Delivery, Subscription


def subscribe(account: Account, system: str, steps: str = Subscription.Steps.ALL) -> Subscription:
    """Follow the system of a slug, or choose again of which steps.

    Raises NotOnRecord where there is no such system, FollowingRefused where there is no such choice.
    """
    if steps not in Subscription.Steps.values:
        raise FollowingRefused(f"There is no choice {steps[:60]!r}.")
    followed_system = public_record.find_system(system)
    return Subscription.objects.update_or_create(account=account, system=followed_system, defaults={"steps": steps})[0]


def unsubscribe(account: Account, system: str) -> None:
    """What waits to be told of it is told no more. Raises NotFollowed where it was not followed."""
    with transaction.atomic():
        gone, _ = account.following.filter(system__slug=system.replace("\0", "")).delete()
        if not gone:
            raise NotFollowed
        waiting = Delivery.objects.filter(account=account, state=Delivery.State.WAITING)
        waiting.filter(step__system__slug=system).delete()


def is_interested(following: Subscription, step: Step) -> bool:
    return step.found_at > following.since and (following.steps == Subscription.Steps.ALL or not step.better)
