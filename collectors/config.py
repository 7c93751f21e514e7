"""Which server, and with which token: HIGHWATER_URL and HIGHWATER_TOKEN, else ~/.config/highwater/config.ini."""

import configparser
import ipaddress
import os
import stat
from collections import namedtuple
from urllib.parse import urlsplit

from collectors.errors import UsageError

CONFIG_FILE = "~/.config/highwater/config.ini"
SECTION = "highwater"
EXAMPLE = "[highwater], url = https://..., token = ..."

Settings = namedtuple("Settings", "url token")
Settings.__doc__ = "Where to send: the server's address without a slash at its end, and the account's token."


def settings(environ):
    """The Settings to use; the environment goes before the file, name by name.

    A token from the file is used only for the address that stands beside it, so that another HIGHWATER_URL does not
    learn it. Raises UsageError for what is missing, malformed, readable by others, or unsafe.
    """
    url, token = environ.get("HIGHWATER_URL", ""), environ.get("HIGHWATER_TOKEN", "")
    if not (url and token):
        filed = read_config(os.path.expanduser(CONFIG_FILE))
        if not token and filed.token and url and checked_url(url) != checked_url(filed.url):
            raise UsageError(
                "collector.token",
                f"HIGHWATER_URL is {url}, but the token in {CONFIG_FILE} is for {filed.url or 'no address'}.",
                "Set HIGHWATER_TOKEN to a token of that server.",
            )
        url, token = url or filed.url, token or filed.token
    url = checked_url(url)
    require_safe_transport(url, environ)
    return Settings(url, checked_token(token))


def read_config(path):
    """Settings of the configuration file, empty where it is missing or says nothing."""
    try:
        with open(path, encoding="utf-8") as stream:
            require_private(path, os.fstat(stream.fileno()).st_mode)
            parser = configparser.ConfigParser(interpolation=None)
            parser.read_file(stream)
    except FileNotFoundError:
        return Settings("", "")
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        reason = getattr(error, "strerror", None) or "not a configuration file"
        raise UsageError("collector.config", f"{path} cannot be read: {reason}.", "It should say: " + EXAMPLE)
    if not parser.has_section(SECTION):
        raise UsageError("collector.config", f"{path} has no section [{SECTION}].", "It should say: " + EXAMPLE)
    section = parser[SECTION]
    return Settings(section.get("url", "").strip(), section.get("token", "").strip())


def require_private(path, mode):
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(
            "collector.config.mode",
            f"{path} can be read by others (mode {stat.S_IMODE(mode):04o}); it holds your token.",
            f"chmod 0600 {path}",
        )


def checked_url(url):
    """The server's address without a slash at its end; raises UsageError if it is none."""
    if not url:
        raise UsageError(
            "collector.url",
            "No server is set.",
            f"Set HIGHWATER_URL to the site's address, or write {CONFIG_FILE} (mode 0600): {EXAMPLE}",
        )
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment or "@" in parts.netloc or not is_header_text(url):
        raise UsageError("collector.url", "The server's address is not usable.", "Write it like https://host.example/")
    return url.rstrip("/")


def checked_token(token):
    if not token:
        raise UsageError(
            "collector.token",
            "No token is set.",
            f"Make one on your account's page, then set HIGHWATER_TOKEN or write it to {CONFIG_FILE} (mode 0600).",
        )
    if not is_header_text(token):
        raise UsageError("collector.token", "The token holds a space or a sign that no token has.", "Copy it again.")
    return token


def is_header_text(text):
    return all("!" <= character <= "~" for character in text)


def require_safe_transport(url, environ):
    """Raise UsageError if a token would travel unencrypted to another machine."""
    parts = urlsplit(url)
    if parts.scheme == "https" or is_loopback(parts.hostname) or environ.get("HIGHWATER_INSECURE") == "1":
        return
    raise UsageError(
        "collector.insecure",
        f"{url} is plain http: anyone on the way could read your token.",
        "Use https. If that network is truly yours alone, set HIGHWATER_INSECURE=1.",
    )


def is_loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
