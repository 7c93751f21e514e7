"""A small registry on loopback: keeps what it is sent, and misbehaves when a test tells it to.

It reads requests with the standard library's own parsers, so the collector's bytes are judged by another reader.
"""

import email
import hashlib
import http.server
import json
import socket
import threading
from collections import deque
from contextlib import contextmanager
from email import policy
from urllib.parse import parse_qs

NOTHING_HERE = object()
"""Among what is public: an address that has nothing."""


@contextmanager
def serving(server):
    """A server of the standard library that answers in a thread of its own."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    if isinstance(server, Peer):
        server.closing.set()
    server.shutdown()
    server.server_close()
    thread.join()


class Received:
    """One request as it arrived: method, path, headers, and the parts of its multipart body as (name, bytes)."""

    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers = method, path, headers
        is_json = headers.get("Content-Type") == "application/json"
        self.json = json.loads(body.decode()) if is_json else None
        self.parts = multipart(headers, body) if body and not is_json else []

    def part(self, name):
        return next(value for part_name, value in self.parts if part_name == name)

    def parts_named(self, name):
        return [value.decode() for part_name, value in self.parts if part_name == name]


def multipart(headers, body):
    head = f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + body, policy=policy.HTTP)
    return [
        (part.get_param("name", header="content-disposition"), part.get_payload(decode=True))
        for part in message.iter_parts()
    ]


class Peer(http.server.ThreadingHTTPServer):
    """`misbehaviours` are used up first, one per request; each takes the handler and answers in its own way.

    `public` are documents and bytes by path, with its query or without, for whoever asks; None is not found.
    `private` are those for Alice, as all else. `listed` are her submissions, of which a query finds those whose id
    begins so; without them there are two pages of one each.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.received = []
        self.misbehaviours = deque()
        self.submissions = {}
        self.states = ["checked"]
        self.facts = {"findings": [], "scores": {}}
        self.check_answer = {"status": "valid", "primary": None, "findings": [], "runs": []}
        self.receipt, self.public_keys = {}, []
        self.public = {}
        self.private = {}
        self.listed = None
        self.arrived = threading.Event()
        self.closing = threading.Event()

    def handle_error(self, request, client_address):
        """A client that hangs up is part of the tests, not an error of this server."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.serve()

    def do_POST(self):
        self.serve()

    def do_PUT(self):
        self.serve()

    def do_PATCH(self):
        self.serve()

    def serve(self):
        self.server.arrived.set()
        if self.server.misbehaviours:
            self.close_connection = True
            self.server.misbehaviours.popleft()(self)
            return
        received = self.read_request()
        path = received.path.partition("?")[0]
        if path == "/api/v1/receipts/":
            self.answer(200, {"public_keys": self.server.public_keys})
        elif received.path not in self.server.private and (
            received.path in self.server.public or path in self.server.public
        ):
            content = self.server.public.get(received.path, self.server.public.get(path))
            if content is None:
                self.answer(404, {"code": "not-found", "title": "Not Found", "detail": "Nothing."}, problem=True)
            else:
                self.give(content)
        elif received.headers.get("Authorization") != "Token alice-token":
            self.answer(401, {"code": "auth.token", "title": "Unauthorized", "detail": "No such token."}, problem=True)
        elif received.path in self.server.private or path in self.server.private:
            self.give(self.server.private.get(received.path, self.server.private.get(path)))
        elif received.path == "/api/v1/check/":
            self.answer(200, self.server.check_answer)
        elif received.method == "POST":
            self.take(received)
        elif received.path.startswith("/api/v1/submissions/?") or received.path == "/api/v1/submissions/":
            self.list_submissions(received)
        elif received.path.endswith("/receipt/"):
            self.answer(200, self.server.receipt)
        else:
            self.look_up(received)

    def read_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        received = Received(self.command, self.path, self.headers, body)
        self.server.received.append(received)
        return received

    def take(self, received):
        sha256 = hashlib.sha256(received.part("bundle")).hexdigest()
        if received.part("sha256").decode() != sha256:
            detail = "The bytes received have another sha256."
            self.answer(400, {"code": "bundle.sha256", "title": "Wrong sha256", "detail": detail}, problem=True)
            return
        if received.path.endswith("/files/"):
            number = int(received.path.split("/")[-3])
            self.answer(202, {"id": number, "state": "received", "url": f"/submissions/{number}/", "sha256": "0" * 64})
            return
        is_known = sha256 in self.server.submissions
        number = self.server.submissions.setdefault(sha256, len(self.server.submissions) + 1)
        document = {"id": number, "state": "received", "url": f"/submissions/{number}/", "sha256": sha256}
        self.answer(200 if is_known else 202, document)

    def look_up(self, received):
        number = int(received.path.rstrip("/").rsplit("/", 1)[1])
        if number not in self.server.submissions.values():
            self.answer(404, {"code": "not-found", "title": "Not Found", "detail": "No such submission."}, problem=True)
            return
        states = self.server.states
        state = states.pop(0) if len(states) > 1 else states[0]
        self.answer(200, dict(self.server.facts, id=number, state=state, url=f"/submissions/{number}/"))

    def list_submissions(self, received):
        """Two pages; `next` names another host, which no client may follow with a token."""
        if self.server.listed is not None:
            query = parse_qs(received.path.partition("?")[2])
            beginning = query.get("id", [""])[0]
            matches = [row for row in self.server.listed if row["id"].startswith(beginning.lower())]
            matches = [row for row in matches if query.get("result", [row.get("result")])[0] == row.get("result")]
            self.answer(200, {"results": matches, "next": None})
            return
        if "cursor=second" in received.path:
            self.answer(200, {"results": [{"id": 1, "state": "published"}], "next": None})
        else:
            following = "http://elsewhere.invalid/api/v1/submissions/?cursor=second"
            self.answer(200, {"results": [{"id": 2, "state": "checked"}], "next": following})

    def give(self, content):
        """What lies open to everybody: bytes as a file, anything else as JSON."""
        if content is NOTHING_HERE:
            self.answer(404, {"code": "not-found", "title": "Not Found", "detail": "Not here."}, problem=True)
            return
        if not isinstance(content, bytes):
            self.answer(200, content)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def answer(self, status, document, headers=(), problem=False):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/problem+json" if problem else "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def hang_up(handler):
    """Close the connection without a word, in the middle of the request."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def hang_up_after_storing(handler):
    """The worst moment: the bytes are taken, the acknowledgement is lost."""
    received = handler.read_request()
    sha256 = hashlib.sha256(received.part("bundle")).hexdigest()
    handler.server.submissions.setdefault(sha256, len(handler.server.submissions) + 1)
    handler.connection.shutdown(socket.SHUT_RDWR)


def busy(status, retry_after):
    def answer(handler):
        handler.read_request()
        handler.answer(status, {"title": "Busy"}, [("Retry-After", retry_after)], problem=True)

    return answer


def refuse(status, **document):
    def answer(handler):
        handler.read_request()
        handler.answer(status, document, problem=True)

    return answer


def refuse_unread(status, **document):
    """Answer before reading the body, then close, as proxies do with what is too large."""

    def answer(handler):
        handler.answer(status, document, problem=True)

    return answer


def cut_short(handler):
    """Promise more bytes than come."""
    handler.read_request()
    handler.send_response(202)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id": 1, "state": "rec')


def drip(handler):
    """Answer one byte at a time, without end."""
    handler.read_request()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b" ")


def stay_silent(handler):
    handler.read_request()
    handler.server.closing.wait()


def redirect(location):
    def answer(handler):
        handler.read_request()
        handler.answer(302, {}, [("Location", location)])

    return answer


def web_page(handler):
    """A web server that is no registry."""
    handler.read_request()
    body = b"<html>Welcome</html>"
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
