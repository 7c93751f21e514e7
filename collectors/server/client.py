"""The registry's HTTP API as the collector uses it: requests that are safe to repeat, repeated within bounds."""

import base64
import contextlib
import email.utils
import http.client
import json
import random
import socket
import string
import threading
import time
import urllib.request
import uuid
from collections import namedtuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from collectors import VERSION
from collectors.errors import NetworkError, ServerRefusal, UsageError

try:
    import ssl
except ImportError:  # built without TLS, or loaded with the libraries of another one
    ssl = None

API = "/api/v1/"
MAX_TRIES = 8
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
SILENCE_S = 60.0
MAX_ANSWER_BYTES = 32 * 1024 * 1024
MAX_PAGES = 1000
TRY_AGAIN = (429, 502, 503, 504)
CERTIFICATE_ERRORS = (ssl.CertificateError,) if ssl else ()

Answer = namedtuple("Answer", "status headers document")
Answer.__doc__ = "One HTTP answer: status, headers, and its JSON document, or None if it held none."


class Upload:
    """A multipart/form-data body that is read from disk while it is sent, and can be sent again.

    `fields` are (name, text) pairs; the bundle's bytes travel under the name `bundle`. `sent` takes bytes so far
    and bytes in all.
    """

    def __init__(self, fields, bundle, sent):
        boundary = uuid.uuid4().hex
        self.content_type = "multipart/form-data; boundary=" + boundary
        self.bundle = bundle
        self.sent = sent
        self.head = b"".join(encode_field(boundary, name, text) for name, text in fields) + encode_file_head(
            boundary, bundle
        )
        self.tail = f"\r\n--{boundary}--\r\n".encode("ascii")
        self.length = len(self.head) + bundle.size + len(self.tail)

    def blocks(self):
        """Yield the body from its beginning; raises NetworkError if the file is no longer as long as it was."""
        yield self.head
        self.bundle.stream.seek(0)
        remaining_bytes = self.bundle.size
        while remaining_bytes:
            block = self.bundle.stream.read(min(remaining_bytes, 64 * 1024))
            if not block:
                raise NetworkError("bundle.changed", f"{self.bundle.filename} became shorter while it was sent.")
            remaining_bytes -= len(block)
            yield block
            self.sent(self.bundle.size - remaining_bytes, self.bundle.size)
        yield self.tail


class Document:
    """A JSON document as the body of a request, with the same faces as an Upload."""

    content_type = "application/json"

    def __init__(self, document):
        self.body = encode_text(json.dumps(document, ensure_ascii=False))
        self.length = len(self.body)

    def blocks(self):
        yield self.body


def encode_field(boundary, name, text):
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
    return head.encode("ascii") + encode_text(text) + b"\r\n"


def encode_text(text):
    """The UTF-8 of a text, also where the locale did not know the letters that were typed.

    Raises UsageError for bytes that are no UTF-8.
    """
    try:
        encoded = text.encode("utf-8", "surrogateescape")
        encoded.decode("utf-8")
    except UnicodeError:
        raise UsageError("collector.text", "%s is no text in UTF-8." % ascii(text), "Type it in a terminal of UTF-8.")
    return encoded


def encode_file_head(boundary, bundle):
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="bundle"; '
        f'filename="{escape_header_name(bundle.filename)}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return head.encode("ascii")


def escape_header_name(filename):
    """A file name that fits a header: letters, digits and `._-+`, anything else as `_`."""
    return "".join(c if c.isalnum() and c < "\x7f" or c in "._-+" else "_" for c in filename)


class Deadline:
    """How long everything may take together, waiting included."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def remaining_s(self):
        return self.end - time.monotonic()


class Server:
    """One registry, one account or none. Every method raises NetworkError or ServerRefusal.

    `token_if_closed` gives the token of who reads without one, for a registry that answers 401; it is called once.
    """

    def __init__(self, settings, deadline, progress, token_if_closed=None):
        self.token_if_closed = token_if_closed
        self.base = urlsplit(settings.url)
        self.token = settings.token
        self.deadline = deadline
        self.progress = progress

    def get(self, path, query=None):
        """The Answer to GET of an API path."""
        encoded = {name: encode_text(str(value)) for name, value in (query or {}).items()}
        return self.request("GET", API + path + ("?" + urlencode(encoded) if encoded else ""))

    def read_file(self, path, limit_bytes):
        """The bytes of a file below the server's address, None where it has none.

        Raises NetworkError for one that is longer than `limit_bytes`.
        """
        try:
            return self.request("GET", path, read=lambda response: read_body(response, limit_bytes)).document
        except ServerRefusal as error:
            if error.http_status in (404, 410):
                return None
            raise

    def pages(self, path, query=None):
        """Yield the results of every page. Only the query of `next` is followed, never another address.

        After MAX_PAGES it ends: who answers without end is no registry. Raises NetworkError for an answer without
        results.
        """
        query = dict(query or {})
        for _page in range(MAX_PAGES):
            document = self.get(path, query).document
            if not isinstance(document, dict) or not isinstance(document.get("results"), list):
                raise not_the_api(self.base)
            yield from document["results"]
            following = query_of_next(document, self.base)
            if not following or following == query:
                return
            query = following

    def post(self, path, fields, bundle):
        """The Answer to one multipart POST of fields and bundle."""
        return self.request("POST", API + path, Upload(fields, bundle, self.show_sent))

    def write_document(self, method, path, document):
        """The Answer to a request that carries a JSON document; the caller sees to it that it may come twice."""
        return self.request(method, API + path, Document(document))

    def show_sent(self, sent, size):
        self.progress.update(f"sending {in_kib(sent)} of {in_kib(size)} ({100 * sent // size} %)")

    def request(self, method, path, upload=None, read=None):
        """Ask until there is an answer to keep; connection errors, 429, 502, 503 and 504 are tried again.

        Raises ServerRefusal or NetworkError where the tries or the time are used up, or another try cannot help.
        """
        for attempt in range(1, MAX_TRIES + 1):
            try:
                answer = self.ask(method, path, upload, read or read_document)
                if answer.status == 401 and not self.token and self.token_if_closed:
                    self.token, self.token_if_closed = self.token_if_closed(), None
                    answer = self.ask(method, path, upload, read or read_document)
                if answer.status not in TRY_AGAIN:
                    return accepted(answer, self.base)
                trouble, asked_wait_s = refusal(answer, self.base), retry_after_s(answer.headers)
            # Python 3.6 does not count a certificate of another name among the OSErrors.
            except (OSError, http.client.HTTPException) + CERTIFICATE_ERRORS as error:
                trouble, asked_wait_s = unreachable(error, self.base), None
                if is_permanent(error):
                    raise trouble
            wait_s = pause_s(attempt, asked_wait_s)
            if attempt == MAX_TRIES or wait_s >= self.deadline.remaining_s():
                raise note_attempts(trouble, attempt, asked_wait_s)
            self.progress.note(f"{trouble.message} Trying again in {wait_s:.1f} s ({attempt} of {MAX_TRIES} tries).")
            time.sleep(wait_s)

    def ask(self, method, path, upload, read):
        """One request, one Answer; raises OSError or HTTPException when it does not come, or not whole."""
        connection = self.connection()
        with contextlib.closing(connection):
            connection.connect()
            with cut_off(connection.sock, self.deadline.remaining_s()):
                self.send(connection, method, path, upload)
                response = connection.getresponse()
                with contextlib.closing(response):
                    read = read if response.status < 400 else read_document
                    return Answer(response.status, response.headers, read(response))

    def connection(self):
        """A connection to the server, through the proxy that the environment names for https.

        Raises UsageError for https where Python has no TLS.
        """
        timeout_s = max(0.1, min(SILENCE_S, self.deadline.remaining_s()))
        host, port = self.base.hostname, self.base.port
        if self.base.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=timeout_s)
        if ssl is None:
            raise UsageError(
                "collector.tls",
                "This Python cannot load its TLS library, which https needs.",
                "`python3 -c 'import ssl'` says why; another Python or other modules may have it.",
            )
        context = ssl.create_default_context()
        proxy = urllib.request.getproxies().get("https")
        if not proxy or urllib.request.proxy_bypass(host):
            return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context)
        via = urlsplit(proxy if "//" in proxy else "//" + proxy)
        connection = http.client.HTTPSConnection(via.hostname, via.port or 3128, timeout=timeout_s, context=context)
        connection.set_tunnel(host, port or 443, headers=make_proxy_authorization(via))
        return connection

    def send(self, connection, method, path, upload):
        """Send a request and its upload; one that the server stops reading is left to the server's answer."""
        connection.putrequest(method, self.base.path + path)
        if self.token:
            connection.putheader("Authorization", "Token " + self.token)
        connection.putheader("Accept", "application/json, application/problem+json")
        connection.putheader("User-Agent", "highwater-collector/" + VERSION)
        connection.putheader("Connection", "close")
        if upload is None:
            connection.endheaders()
            return
        connection.putheader("Content-Type", upload.content_type)
        connection.putheader("Content-Length", str(upload.length))
        connection.endheaders()
        try:
            for block in upload.blocks():
                connection.send(block)
        except (BrokenPipeError, ConnectionResetError):
            # A server that refuses early stops reading; its reason may already lie in the socket.
            pass


def make_proxy_authorization(proxy):
    """The header for a proxy whose address holds a user and a password (RFC 7617), else none."""
    if not proxy.username:
        return {}
    pair = unquote(proxy.username) + ":" + unquote(proxy.password or "")
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode("utf-8")).decode("ascii")}


@contextlib.contextmanager
def cut_off(sock, seconds):
    """End a conversation after so many seconds, however slowly the other side keeps talking."""
    timer = threading.Timer(max(0, seconds), shut, [sock])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def shut(sock):
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def read_document(response):
    """The JSON document of a response, None if it is of another kind; raises HTTPException if it is cut short."""
    body = read_body(response, MAX_ANSWER_BYTES)
    if not response.headers.get_content_type().endswith("json"):
        return None
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise http.client.HTTPException("the answer is cut short")


def read_body(response, limit_bytes):
    """All bytes of a response. Raises HTTPException where there are more than `limit_bytes`."""
    body = response.read(limit_bytes + 1)
    if len(body) > limit_bytes:
        raise http.client.HTTPException("the answer is too large")
    return body


def query_of_next(document, base):
    """The query of the address in `next` by name, empty on the last page. Raises NetworkError for no address."""
    try:
        return dict(parse_qsl(urlsplit(document.get("next") or "").query))
    except (ValueError, TypeError, AttributeError):
        raise not_the_api(base)


def accepted(answer, base):
    """The answer if it is a success with a JSON document; raises ServerRefusal or NetworkError if not."""
    if 300 <= answer.status < 400:
        raise ServerRefusal(
            "collector.redirect",
            f"{base.netloc} sends requests on to {answer.headers.get('Location', 'elsewhere')}.",
            "If that is the registry, set its address as HIGHWATER_URL; the token is not sent there by itself.",
            answer.status,
        )
    if answer.status >= 400:
        raise refusal(answer, base)
    if answer.document is None:
        raise not_the_api(base)
    return answer


def refusal(answer, base):
    """The ServerRefusal that a problem document (RFC 9457) or a bare status tells."""
    problem = answer.document if isinstance(answer.document, dict) else {}
    title = problem.get("title") or http.client.responses.get(answer.status, "error")
    why = format_field_errors(problem.get("errors")) or problem.get("detail") or title
    message = end_sentence(f"{base.netloc} answered {answer.status}: {why}")
    hint = str(problem.get("hint") or own_hint(answer.status))
    return ServerRefusal(str(problem.get("code") or f"http.{answer.status}"), message, hint, answer.status)


def end_sentence(text):
    return text if text.endswith((".", "!", "?")) else text + "."


def format_field_errors(errors):
    """What is wrong with which field, in one line; "" where nothing is told by field."""
    if not isinstance(errors, dict):
        return ""
    named_reasons = ((name, why if isinstance(why, list) else [why]) for name, why in errors.items())
    return "; ".join("{}: {}".format(name, " ".join(map(str, why))) for name, why in named_reasons)


def own_hint(status):
    """What to do next where the server does not say."""
    return {
        401: "Check HIGHWATER_TOKEN or the token in the configuration file; make a new one on your account's page.",
        403: "Your account may not do this; ask the site's or the registry's people.",
        404: "Check the id, and that HIGHWATER_URL is the registry's address.",
        407: "Write the proxy's user and password into HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT",
        413: "The registry takes at most 64 MiB; leave out what is not a result.",
        429: "Wait a while, then run the same command again; the same bytes are never stored twice.",
    }.get(status, "Run the same command again later; the same bytes are never stored twice.")


def not_the_api(base):
    return NetworkError(
        "collector.not-the-api",
        f"{base.netloc} answers, but not as a Highwater registry.",
        "Check that HIGHWATER_URL is the registry's address.",
    )


def unreachable(error, base):
    reason = getattr(error, "strerror", None) or error or type(error).__name__
    if isinstance(error, (socket.timeout, TimeoutError)):
        reason = "no answer in time"
    if is_untrusted(error):
        hint = "Check the address; for a private authority, point SSL_CERT_FILE to its certificate."
        return NetworkError("collector.tls", f"{base.netloc} does not prove who it is: {reason}.", hint)
    hint = "Check HIGHWATER_URL, your network and proxy (HTTPS_PROXY), then run the same command again."
    return NetworkError("collector.unreachable", f"{base.netloc} cannot be reached: {reason}.", hint)


def is_untrusted(error):
    return isinstance(error, CERTIFICATE_ERRORS) or getattr(error, "reason", "") == "CERTIFICATE_VERIFY_FAILED"


def is_permanent(error):
    """Whether asking again cannot help: an unknown host, a wrong certificate, no TLS at the other end."""
    if isinstance(error, socket.gaierror):
        return error.errno != socket.EAI_AGAIN
    return is_untrusted(error) or getattr(error, "reason", "") in ("WRONG_VERSION_NUMBER", "UNKNOWN_PROTOCOL")


def retry_after_s(headers):
    """Seconds that a Retry-After header asks for (a number or a date, RFC 9110 section 10.2.3), or None."""
    text = headers.get("Retry-After", "").strip()
    if text and not text.strip(string.digits):
        return float(text[:9])
    try:
        when = email.utils.parsedate_to_datetime(text)
        return max(0.0, when.timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def pause_s(attempt, asked_wait_s):
    """Seconds until the next try: what the server asked for, else doubling; scattered, so that clients spread."""
    if asked_wait_s is not None:
        return asked_wait_s + random.uniform(0, FIRST_WAIT_S)  # noqa: S311 - not a secret
    return random.uniform(0.5, 1) * min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempt - 1))  # noqa: S311 - not a secret


def note_attempts(trouble, attempt, asked_wait_s):
    """The same trouble, with how often it was tried, and how long the server wants to be left alone."""
    tried = "once" if attempt == 1 else f"{attempt} times"
    wait = f" The server asks to wait {asked_wait_s:.0f} s." if asked_wait_s else ""
    trouble.message = f"{trouble.message} (tried {tried}){wait}"
    return trouble


def in_kib(size):
    """Bytes as text in KiB or MiB."""
    return f"{size / 1048576:.1f} MiB" if size >= 1048576 else f"{size / 1024:.1f} KiB"
