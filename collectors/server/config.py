"""Which server, and with which token: HIGHWATER_URL and HIGHWATER_TOKEN, else ~/.config/highwater/config.ini.

A file that a registry handed out knows that registry's address, which counts last.
"""

import configparser
import io
import ipaddress
import os
import stat
from collections import namedtuple
from urllib.parse import urlsplit

from collectors.errors import UsageError

CONFIG_FILE = "~/.config/highwater/config.ini"
# What pages and messages print in the place of a token.
PLACEHOLDER = "hw_..."
SECTION = "highwater"
EXAMPLE = "[highwater], url = https://..., token = ..."
# Put into the single file by the registry that hands it out (launcher/collector_file.py).
REGISTRY = "data/registry.txt"

Settings = namedtuple("Settings", "url token")
Settings.__doc__ = "Where to send: the server's address without a slash at its end, and the account's token."


def settings(environ):
    """The Settings to use; the environment goes before the file, name by name, and the registry of download comes last.

    A token from the file is used only for the address that stands beside it, so that no other server learns it.
    Raises UsageError for what is missing, malformed, readable by others, or unsafe.
    """
    url, token = environ.get("HIGHWATER_URL", ""), environ.get("HIGHWATER_TOKEN", "")
    if not (url and token):
        filed = read_config(os.path.expanduser(CONFIG_FILE))
        chosen = url or filed.url or find_registry_of_download()
        if not token and filed.token and chosen and (not filed.url or check_url(chosen) != check_url(filed.url)):
            raise UsageError(
                "collector.token",
                f"The server is {chosen}, but the token in {CONFIG_FILE} is for {filed.url or 'no address'}.",
                "Set HIGHWATER_TOKEN to a token of that server, or write its url beside the token.",
            )
        url, token = chosen, token or filed.token
    url = check_url(url)
    require_safe_transport(url, environ)
    return Settings(url, check_token(token, url))


def load_reader_settings(environ):
    """The Settings of who only reads what is public: the same address, and no token, so none is asked for.

    Raises UsageError for an address that is missing, malformed, or unsafe.
    """
    url = environ.get("HIGHWATER_URL", "") or read_config(os.path.expanduser(CONFIG_FILE)).url
    url = check_url(url or find_registry_of_download())
    require_safe_transport(url, environ, "change the answers")
    return Settings(url, "")


def find_token(url, environ):
    """The token for a registry that lets nobody read without one; empty where it is not the registry of the settings.

    Raises UsageError as `settings` does, where no token is set too.
    """
    configured = settings(environ)
    return configured.token if configured.url == url else ""


def find_registry_of_download():
    """The address of the registry that handed out this file; empty for one that was built elsewhere."""
    import pkgutil  # it loads what only this needs, a tenth of a short command

    try:
        return pkgutil.get_data("collectors", REGISTRY).decode("ascii").strip()
    except OSError:
        return ""


def read_config(path):
    """Settings of the configuration file, empty where it is missing or says nothing.

    Raises UsageError if it cannot be read, is no configuration, or others can read it.
    """
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


def edit_config(settings):
    """The path of the configuration file, and its text with this address and token; what else it says stays.

    Raises UsageError as `read_config` does, so that a token never joins a file that others can read.
    """
    path = os.path.expanduser(CONFIG_FILE)
    parser = configparser.ConfigParser(interpolation=None)
    if os.path.exists(path):
        read_config(path)
        parser.read(path, encoding="utf-8")
    else:
        parser.add_section(SECTION)
    parser[SECTION].update(url=settings.url, token=settings.token)
    text = io.StringIO()
    parser.write(text)
    return path, text.getvalue()


def find_server_address(address, environ):
    """The address to sign in at: the one that is named, else that of the environment, the file or the download.

    Raises UsageError for one that is missing, malformed or unsafe.
    """
    filed = read_config(os.path.expanduser(CONFIG_FILE))
    url = check_url(address or environ.get("HIGHWATER_URL", "") or filed.url or find_registry_of_download())
    require_safe_transport(url, environ)
    return url


def require_private(path, mode):
    """Raises UsageError where the mode lets others read the file."""
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(
            "collector.config.mode",
            f"{path} can be read by others (mode {stat.S_IMODE(mode):04o}); it holds your token.",
            f"chmod 0600 {path}",
        )


def check_url(url):
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


def check_token(token, url):
    """Return the token. Raises UsageError where none is set, or it holds a sign that no token has."""
    if token in ("", PLACEHOLDER):
        raise UsageError(
            "collector.token",
            f"{PLACEHOLDER} stands for a token of yours." if token else f"No token for {url} is set.",
            f"Create one at {url}/account/ and then: export HIGHWATER_TOKEN={PLACEHOLDER}"
            f"  (or `login`, which keeps it in {CONFIG_FILE})",
        )
    if not is_header_text(token):
        raise UsageError("collector.token", "The token holds a space or a sign that no token has.", "Copy it again.")
    return token


def is_header_text(text):
    return all("!" <= character <= "~" for character in text)


def require_safe_transport(url, environ, threat="read your token"):
    """Raise UsageError if a request would travel unencrypted to another machine; `threat` says what others could do."""
    parts = urlsplit(url)
    if parts.scheme == "https" or is_loopback(parts.hostname) or environ.get("HIGHWATER_INSECURE") == "1":
        return
    raise UsageError(
        "collector.insecure",
        f"{url} is plain http: anyone on the way could {threat}.",
        "Use https. If that network is truly yours alone, set HIGHWATER_INSECURE=1.",
    )


def is_loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
