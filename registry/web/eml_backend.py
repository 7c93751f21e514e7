"""Mail as files, where no mail server is set: one `.eml` for each message, which any mail program opens."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone


class EmlBackend(BaseEmailBackend):
    """Writes to settings.EMAIL_FILE_PATH, readable by the registry's user alone: mails hold links that sign in."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        folder = Path(settings.EMAIL_FILE_PATH)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{timezone.now():%Y%m%dT%H%M%S.%f}-{uuid.uuid4().hex[:8]}.eml"
            with open(folder / name, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(message.message().as_bytes())
        return len(email_messages)
