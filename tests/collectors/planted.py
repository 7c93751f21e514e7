"""Lines as benchmarks' logs have them, each with something in it that must not leave: (line, secret)."""

import json
from pathlib import Path

_FORMS = Path(__file__).resolve().parents[2] / "validators" / "scrubbing" / "credential-forms.1.json"

_OWN = (
    ("password=hunter22 next", "hunter22"),
    ("git clone https://alice:s3cr3t@git.example.org/x", "s3cr3t"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzz", "wJalrXUtnFEMI"),
    ("id AKIAQWERTYUIOPASDFGH", "AKIAQWERTYUIOPASDFGH"),
    ("export GITHUB_TOKEN=ghp_1a2B3c4D5e6F7g8H9i0J1a2B3c4D5e6F7g8H", "1a2B3c4D5e6F"),
    ("git@x: ghs_1a2B3c4D5e6F7g8H9i0Jzzzz", "ghs_1a2B"),
    ("t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl end", "eyJzdWIi"),
    ("Authorization: Bearer abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
    ("Authorization: Basic YWxpY2U6aHVudGVyMjI=", "YWxpY2U6aHVudGVyMjI"),
    ("PGPASSWORD=pgpgpgpg1 psql", "pgpgpgpg1"),
    ("linux ro rd.luks.key=luksluks1 quiet", "luksluks1"),
    ("SLURM_JWT=jwtjwtjwt1.x", "jwtjwtjwt1"),
    ("ipmitool -I lanplus --password ipmiipmi1 sdr", "ipmiipmi1"),
    ("s3_key: s3s3s3s3s3", "s3s3s3s3s3"),
    ("token glpat-abcdefghijklmnopqrst", "glpat-abcdefgh"),
    ("slack xoxb-1234567890-abcdef", "xoxb-1234567890"),
    ("hub hf_abcdefghijklmnopqrstuvwxyzABCDEF", "hf_abcdefgh"),
    ("password=P@$$w0rdX9 next", "$w0rdX9"),
    ('password="correct horse battery staple"', "battery"),
    (r'"{\"password\": \"escapedpw99\"}"', "escapedpw99"),
    ("redis://:redispw99x@cache/0", "redispw99x"),
    ("authorization: bearer abcdefghijklmnop", "abcdefghijklmnop"),
    ("authorization: basic YWxpY2U6aHVudGVyMjI=", "YWxpY2U6aHVudGVyMjI"),
    ("Cookie: sessionid=9f8e7d6c5b4a3928", "9f8e7d6c5b4a3928"),
    ("\tkey = AQBSdFhlAAAAABAAq9cephkeyringx0123456==", "AQBSdFhl"),
    ("elbencho --s3key S3KEYS3KEY9 --s3secret s3secret99 -w", "s3secret99"),
    ("elbencho --s3key S3KEYS3KEY9 --s3secret s3secret99 -w", "S3KEYS3KEY9"),
    ("https://acc.blob.example.net/c?sv=2020-08-04&sig=abcDEF123%2Bxyz%3D", "abcDEF123"),
    ("hook https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX", "B00000000"),
    ("oauth ya29.a0AfH6SMBabcdefghijklmnopqr", "a0AfH6SMB"),
    ("root:$6$saltsalt$abcdefghijklmnopqrstuvwxyz:19000:0:", "abcdefghijklm"),
    ("MUNGE:AwQFAAD4jL0mungecredential==:", "AwQFAAD4"),
    ("ipmitool -I lanplus -U root -P calvin99pw sdr", "calvin99pw"),
    ("sshpass -p sshpasspw99 ssh node", "sshpasspw99"),
    ("curl -u admin:redfishpw99 https://bmc/redfish/v1", "redfishpw99"),
    ("machine api login joe password netrcpw99", "netrcpw99"),
    ("DB_PWD=dbpwd99x", "dbpwd99x"),
    ('"auths": {"hub": {"auth": "ZG9ja2VydXNlcjpkb2NrZXJwdw=="}}', "ZG9ja2Vy"),
    ("PresharedKey = AbCdEfGhIjKlMnOpQrStUvWxYz0123456789ABCDEFG=", "AbCdEfGh"),
    ("\x1b[31mpass\x1b[0mword=colouredpw99", "colouredpw99"),
    ("pass\u200bword=unseenpw99", "unseenpw99"),
    ("key-ghp_1a2B3c4D5e6F7g8H9i0J1a2B3c4D5e6F7g8H", "1a2B3c4D5e6F"),
    ("mount -t cifs -o username=kovacsm,vers=3.0 //a/b /mnt", "kovacsm"),
    ("#SBATCH --account=prj0099", "prj0099"),
    ("SLURM_JOB_ACCOUNT=prj0099", "prj0099"),
    ("Serial Number: S4YNNE0M800999", "S4YNNE0M800999"),
    ("served by oss0417.storage.example.gov", "oss0417"),
    ("mail kovacs@hpc.example.org", "kovacs@hpc"),
    ("cd /home/kovacs/io500", "kovacs"),
    ("datadir = /lustre/scratch/kovacs/out", "kovacs"),
    ("io500_info_submitter='Magda Kovacs'", "Magda"),
    ("Machine             : Linux cn0417.hpc.example.org", "cn0417"),
    ("rank 3 is cn0418", "cn0418"),
    ("SLURM_JOB_NODELIST=cn[0417-0420]", "cn[0417"),
    ("10.42.7.19:/export on /mnt", "10.42.7.19"),
    ("nid 10.42.7.20@o2ib", "10.42.7.20"),
    ("inet6 2001:db8:17::42 up", "2001:db8:17"),
    ("ether 52:54:00:ab:cd:ef", "52:54:00:ab:cd:ef"),
    ("GUID 506b:4b03:00f0:a1b2", "506b:4b03"),
    ("UUID=6f1c8a52-0d3e-4b7a-9c55-0123456789ab", "6f1c8a52"),
)


def _examples():
    """Of every form of credential."""
    forms = json.loads(_FORMS.read_text(encoding="utf-8"))
    yield from (
        ("x " + "".join(row["example"]), row["example"][-1].split(" ")[0] or row["example"][-1][:40])
        for row in forms["tokens"]
    )
    yield from (("".join(example), example[1].strip(":")) for row in forms["contexts"] for example in row["examples"])


PLANTED = (*_OWN, *_examples())
