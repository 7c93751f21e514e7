"""Mail without a mail server: files."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser

from django.core.mail import send_mail


def test_each_mail_is_a_file_for_the_registry_alone(settings, tmp_path) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = "registry.web.eml_backend.EmlBackend", tmp_path / "mail"
    for subject in ("Größe", "Second"):
        send_mail(subject, "A long text ✓", "from@lab.example", ["to@lab.example"])
    files = sorted((tmp_path / "mail").iterdir())
    assert [file.suffix for file in files] == [".eml", ".eml"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    message = BytesParser(policy=policy.default).parsebytes(files[0].read_bytes())
    assert (message["Subject"], message["To"]) == ("Größe", "to@lab.example")
    assert message.get_content().strip() == "A long text ✓"
