"""Follow a system: be told of steps in its numbers and of runs outside of what was expected, from then on.

Nobody follows a system without saying so.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.models import RunVerdict, Step
from registry.query import public_record
from submissions.errors import FollowingRefused, NotFollowed
from submissions.models import Account, Delivery, Subscription


def subscribe(account: Account, system: str, steps: str = Subscription.Steps.ALL) -> Subscription:
    """Follow the system of a slug, or choose again of which steps.

    Raises NotOnRecord where there is no such system, FollowingRefused where there is no such choice.
    """
    if steps not in Subscription.Steps.values:
        raise FollowingRefused(f"There is no choice {steps[:60]!r}.")
    followed_system = public_record.find_system(system, follow=True)
    with transaction.atomic():
        account.following.filter(system__merged_into=followed_system).delete()
        return Subscription.objects.update_or_create(
            account=account, system=followed_system, defaults={"steps": steps}
        )[0]


def subscriptions_of(account: Account) -> QuerySet[Subscription]:
    """What it follows, each system once: of a former name only where it does not follow what that is now."""
    also_now = Subscription.objects.filter(account=account, system=OuterRef("system__merged_into"))
    own = account.following.select_related("system__site", "system__merged_into__site")
    return own.exclude(Exists(also_now))


def unsubscribe(account: Account, system: str) -> None:
    """What waits to be told of it is told no more. Raises NotFollowed where it was not followed."""
    with transaction.atomic():
        slug = system.replace("\0", "")
        gone, _ = account.following.filter(Q(system__slug=slug) | Q(system__merged_into__slug=slug)).delete()
        if not gone:
            raise NotFollowed
        waiting = Delivery.objects.filter(account=account, state=Delivery.State.WAITING)
        waiting.filter(Q(step__system__slug=slug) | Q(run_verdict__system__slug=slug)).delete()


def is_interested(following: Subscription, news: Step | RunVerdict) -> bool:
    """Whether a follower wants to hear of a step or a run; what is mixed is for the worse, too."""
    return news.found_at > following.since and (following.steps == Subscription.Steps.ALL or not news.better)
