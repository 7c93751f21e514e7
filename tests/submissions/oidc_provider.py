"""A small OpenID Connect provider on loopback: discovery, token, keys and userinfo, for one person at a time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key


@dataclass
class Provider:
    """Where it listens, whom it vouches for, and what it was asked."""

    url: str
    person: dict[str, Any]
    key: RSAPrivateKey = field(default_factory=lambda: generate_private_key(65537, 2048))
    asked: list[dict[str, list[str]]] = field(default_factory=list)

    def id_token(self) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": "highwater", "iat": now, "exp": now + 60} | self.person
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "one"})

    def document(self, path: str) -> dict[str, Any] | None:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
                **{f"{name}_endpoint": f"{self.url}/{path}" for name, path in names.items()},
            },
            "/keys": {"keys": [public | {"kid": "one", "alg": "RS256", "use": "sig"}]},
            "/userinfo": self.person,
            "/token": {"access_token": "opaque", "token_type": "Bearer", "id_token": self.id_token()},
        }.get(path)


@contextmanager
def provider_of(person: dict[str, Any]) -> Iterator[Provider]:
    """A provider that vouches for `person` (`sub`, `email`, `email_verified`, `preferred_username`)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            provider.asked.append(parse_qs(form))
            self._answer()

        def _answer(self) -> None:
            document = provider.document(self.path)
            content = json.dumps(document).encode()
            self.send_response(200 if document is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = Provider(f"http://127.0.0.1:{server.server_port}", person)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
