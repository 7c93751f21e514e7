"""A real directory on loopback: Debian's slapd with a configuration, people and groups of its own."""

from __future__ import annotations

import datetime as dt
import shutil
import socket
import subprocess
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

SLAPD = shutil.which("slapd", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
BASE = "dc=north,dc=example"
READER, READER_PASSWORD = f"cn=reader,{BASE}", "reads the tree"
PASSWORDS = {"hal": "ebb and flow and ebb", "ida": "the moon pulls twice"}
ENTRIES = f"""
dn: {BASE}
objectClass: dcObject
objectClass: organization
dc: north
o: North Lab

dn: {READER}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: {READER_PASSWORD}

dn: ou=people,{BASE}
objectClass: organizationalUnit
ou: people

dn: ou=groups,{BASE}
objectClass: organizationalUnit
ou: groups

dn: ou=elsewhere,ou=groups,{BASE}
objectClass: organizationalUnit
ou: elsewhere
"""


@dataclass
class Directory:
    """Where it listens, and how it is changed."""

    port: int
    secure_port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def entry(self, server: str | None = None, **changes: Any) -> dict[str, Any]:
        """LDAP_DIRECTORY for it; a key that is None is left out."""
        usual = {
            "name": "North Lab", "server": server or f"ldap://127.0.0.1:{self.port}",
            "people": f"ou=people,{BASE}", "login": "uid", "entry_id": "entryUUID",
            "account": READER, "password": READER_PASSWORD, "ca_file": str(self.folder / "certificate.pem"),
            "groups_in": f"ou=groups,{BASE}", "groups": None,
        }  # fmt: skip
        merged = usual | changes
        return {key: value for key, value in merged.items() if value is not None or key == "groups"}

    def add(self, ldif: str) -> None:
        self._change("ldapadd", textwrap.dedent(ldif))

    def modify(self, ldif: str) -> None:
        self._change("ldapmodify", textwrap.dedent(ldif))

    def add_person(self, name: str, password: str, dn_name: str | None = None) -> str:
        dn = f"cn={dn_name or name},ou=people,{BASE}"
        self.add(f"""
            dn: {dn}
            objectClass: inetOrgPerson
            cn: {dn_name or name}
            sn: {name}
            uid: {name}
            userPassword: {password}
            """)
        return dn

    def add_group(self, name: str, *members: str, under: str = "") -> None:
        listed = "".join(f"\nmember: {member}" for member in members or (READER,))
        self.add(f"dn: cn={name},{under}ou=groups,{BASE}\nobjectClass: groupOfNames\ncn: {name}{listed}\n")

    def delete(self, dn: str) -> None:
        self._change("ldapdelete", "", dn)

    def _change(self, program: str, text: str, *names: str) -> None:
        address = f"ldap://127.0.0.1:{self.port}"
        command = [program, "-x", "-H", address, "-D", f"cn=manager,{BASE}", "-w", "manages"]
        subprocess.run([*command, *names], input=text.encode(), check=True, capture_output=True)

    def start(self) -> None:
        addresses = f"ldap://127.0.0.1:{self.port}/ ldaps://127.0.0.1:{self.secure_port}/"
        command = [str(SLAPD), "-d", "0", "-f", str(self.folder / "slapd.conf"), "-h", addresses]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not _listens(self.port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"slapd does not start: {' '.join(command)}")
            time.sleep(0.02)

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(30)


@contextmanager
def directory_in(folder: Path) -> Iterator[Directory]:
    """A directory with the people of PASSWORDS, whose `entry` says how to ask it."""
    (folder / "data").mkdir()
    _write_certificate(folder)
    (folder / "slapd.conf").write_text(
        f"""
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile {folder}/slapd.pid
TLSCertificateFile {folder}/certificate.pem
TLSCertificateKeyFile {folder}/key.pem
database mdb
maxsize 16777216
suffix "{BASE}"
directory {folder}/data
rootdn "cn=manager,{BASE}"
rootpw manages
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{READER}" read by * none
"""
    )
    directory = Directory(_free_port(), _free_port(), folder)
    directory.start()
    try:
        directory.add(ENTRIES)
        for name, password in PASSWORDS.items():
            directory.add_person(name, password)
        yield directory
    finally:
        directory.stop()


def _write_certificate(folder: Path) -> None:
    """One that names localhost, and signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
