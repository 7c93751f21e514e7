"""How accounts of people come to be: what the site adds to django-allauth."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import qrcode
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.stagekit import clear_login
from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset, user_logged_in
from allauth.account.stages import EmailVerificationStage
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from qrcode.image.svg import SvgPathFillImage

from registry.web.client_address import caller_network, site_address
from submissions.accounts import sign_in
from submissions.accounts.entry import provider_groups
from submissions.errors import PasswordElsewhere
from submissions.models import Account

MISMATCH = "Wrong user name or password, or the account is disabled."


class Adapter(DefaultAccountAdapter):
    """Sign-up is open or closed by a setting; names and messages are the site's."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": MISMATCH,
        "email_password_mismatch": MISMATCH,
    }

    def is_safe_url(self, url: str | None) -> bool:
        """Whether a page may lead on to this address; to none that cannot be read."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """What rates count: of IPv6 the network, in which one caller may have as many addresses as it likes."""
        super().get_client_ip(request)
        return caller_network(request)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Wrong guesses count by account and block of addresses: guesses from elsewhere do not lock the owner out."""
        return f"{super()._get_login_attempts_cache_key(request, **credentials)}:{sign_in.address_block(request)}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Raises ValidationError where there were too many wrong guesses."""
        super().pre_authenticate(request, **credentials)
        key = super()._get_login_attempts_cache_key(request, **credentials)
        usages = sign_in.count_attempt(request, key, sign_in.address_block(request))
        if usages is None:
            raise self.validation_error("too_many_login_attempts")
        self._guesses = usages

    def _rollback_login_failed_rl_usage(self) -> None:
        super()._rollback_login_failed_rl_usage()
        for usage in getattr(self, "_guesses", ()):
            usage.rollback()

    def pre_login(self, request: HttpRequest, user: Account, **hooks: Any) -> HttpResponse | None:
        """An account of the directory is signed in by it alone: a passkey would outlive its owner's entry."""
        answer: HttpResponse | None = super().pre_login(request, user, **hooks)
        if answer is None and user.directory_entry and not getattr(request, "is_directory_sign_in", False):
            clear_login(request)
            messages.error(request, "Sign in with the name and the password of your directory.")
            return redirect("/login/")
        return answer

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGNUP_OPEN

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return the cleaned name.

        Raises ValidationError for a name with @, which could be mistaken for a mail address.
        """
        if "@" in username:
            raise ValidationError("A name has no @.")
        return str(super().clean_username(username, shallow))

    def set_password(self, user: Account, password: str) -> None:
        """Raises PasswordElsewhere for an account of a directory, by whichever page or letter it is tried."""
        if provider_groups.is_of_directory(user):
            raise PasswordElsewhere
        super().set_password(user, password)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """A letter leads to this site, whatever port or name the request was sent to."""
        url = urlsplit(super().get_email_confirmation_url(request, emailconfirmation))
        return f"{site_address(request)}{url.path}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """A letter is from this site, whatever the request called it."""
        if name := urlsplit(settings.SITE_URL).netloc:
            context = {"current_site": SimpleNamespace(name=name, domain=name)} | context
        super().send_mail(template_prefix, email, context)

    def send_password_reset_mail(self, user: Account, email: str, context: dict[str, Any]) -> None:
        """Send the link to set a password. A letter about a granted request calls it that, and no reset."""
        is_granted = getattr(context["request"], "is_granted_access", False)
        self.send_mail("accounts/access_granted" if is_granted else "account/email/password_reset_key", email, context)

    def get_login_stages(self) -> list[str]:
        own = f"{MailVerification.__module__}.{MailVerification.__name__}"
        theirs = f"{EmailVerificationStage.__module__}.{EmailVerificationStage.__name__}"
        return [own if stage == theirs else stage for stage in super().get_login_stages()]

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """Signing in and out is seen without a message."""
        if message_template not in ("account/messages/logged_in.txt", "account/messages/logged_out.txt"):
            super().add_message(request, level, message_template, *args, **kwargs)


class ProviderAdapter(DefaultSocialAccountAdapter):
    """A provider that this site has not configured is no address of it."""

    def get_app(self, request: HttpRequest, *args: Any, **kwargs: Any) -> SocialApp:
        """Raises Http404, where allauth would end with an error of the server."""
        try:
            return super().get_app(request, *args, **kwargs)
        except SocialApp.DoesNotExist as error:
            raise Http404 from error

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Whether sign-up is open, or a group of the person is mapped: that is how its provider lets people in."""
        granted = _grants_of(request, sociallogin)
        return bool(settings.SIGNUP_OPEN or (granted and granted.is_any))


def _grants_of(request: HttpRequest, sociallogin: SocialLogin) -> provider_groups.Grants | None:
    """What the groups of who signs in are worth; None of a provider that maps none."""
    extra_data = sociallogin.account.extra_data
    claims = {**(extra_data.get("id_token") or {}), **(extra_data.get("userinfo") or {})}
    application = sociallogin.account.get_provider(request).app
    return provider_groups.grants_of(application.settings, claims)


@receiver(user_logged_in)
def grant_by_groups(request: HttpRequest, user: Account, sociallogin: SocialLogin | None = None, **_: Any) -> None:
    """Each sign-in by a provider that maps groups brings role and memberships up to date."""
    if sociallogin is not None and (granted := _grants_of(request, sociallogin)):
        provider_groups.apply_grants(user, granted)


@receiver(password_reset)
def verify_address_of_letter(user: Account, **_: Any) -> None:
    """Who sets a password by a letter reads the mailbox it went to; of an account with one address that is the one."""
    addresses = list(EmailAddress.objects.filter(user=user)[:2])
    if len(addresses) == 1:
        addresses[0].set_verified()


class MFAAdapter(DefaultMFAAdapter):
    """The picture that an authenticator app reads is black on white, on a dark page too."""

    def build_totp_svg(self, url: str) -> str:
        return str(qrcode.make(url, image_factory=SvgPathFillImage).to_string(encoding="unicode"))


class MailVerification(EmailVerificationStage):
    """A mail address is verified before the first sign-in; an account that an administrator made may have none."""

    def handle(self) -> tuple[HttpResponse | None, bool]:
        account = self.login.user
        if account and not account.email and not EmailAddress.objects.filter(user=account).exists():
            return None, True
        answer: tuple[HttpResponse | None, bool] = super().handle()
        return answer
