"""Forms in which programs write addresses, identifiers of machines and mail: as name_forms.py has those of names."""

import re

from .late_patterns import LatePattern

IS = r"[\"']?\s{0,40}[:=]\s{0,4}[\"']?"
_OCTETS = r"(?:\d{1,3}|\[[\d,-]{1,40}\])"


class Form(LatePattern):
    """One way to write a name: the code of the rule that takes it out, and what it is recognised by."""

    def __init__(self, code, hints, pattern, teaches=False, flags=0):
        super().__init__(pattern, re.ASCII | flags)
        self.code = code
        self.hints = tuple(hints.split("|"))
        self.teaches = teaches


IDENTIFIER_FORMS = (
    # Addresses
    Form(
        "address",
        ".[|].",
        r"((?<![\w.]))((?=[\d.,-]{0,60}\[)\d{1,3}\." + _OCTETS + r"\." + _OCTETS + r"\." + _OCTETS + r")(?![\w.])",
    ),
    Form(
        "address",
        "mac|hwaddr|ether|lladdr",
        r"((?<![A-Za-z])(?:mac|hwaddr|ether|lladdr)(?:[-_ ]?addr(?:ess)?)?"
        + r"[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)([0-9a-f]{12}|[0-9a-f]{40})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "address",
        "mac|addr|dynamic|vlan",
        r"((?<![\w:.-]))((?=[\da-f-]{0,14}[a-f])[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4})(?![\w:.-])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "address",
        "lid",
        r"((?<![A-Za-z])(?:base|sm)[ _]lid[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)(0x[0-9a-f]{1,4}|[1-9]\d{0,4})(?!\w)",
        False,
        re.IGNORECASE,
    ),
    # Identifiers
    Form(
        "guid",
        'guid|mt4|hca|switch|port 0x|-0x|"h-|"s-|"r-',
        r"((?<![A-Za-z0-9])(?:[SHRhsr]-(?:0x)?|\w{0,20}guid[\"']?\s{0,4}[:=]?\s{0,4}[\"']?(?:0x)?|port 0x))"
        r"([0-9a-f]{16})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "guid",
        "nguid|eui64|logical unit id|sas|device id|wwn|_name",
        r"((?<![A-Za-z0-9])(?:nguid|eui64|logical unit id|sas[ _]addr(?:ess)?|wwn device id|port_name|"
        r"node_name)[\"']?\s{0,8}[:=]?\s{0,8}[\"']?(?:0x)?)"
        r"([0-9a-f]{16}(?:[0-9a-f]{16})?|5 [0-9a-f]{6} [0-9a-f]{9})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form("guid", "36", r"((?<![0-9A-Za-z]))(36[0-9a-f]{31})(?![0-9A-Za-z])"),
    Form("guid", "s-1-5-21-", r"((?<![\w-]))(S-1-5-21(?:-\d{1,10}){1,5})(?![\w-])"),
    Form(
        "guid",
        "machine|boot|product|system",
        r"((?<![A-Za-z])(?:machine|boot|product|system)[-_ ]?(?:id|uuid)[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)"
        r"([0-9a-f]{32})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form("guid", "uuid=", r"((?<![A-Za-z])UUID=\"?)([0-9A-Fa-f]{4}-[0-9A-Fa-f]{4})(?![\w-])"),
    Form(
        "guid",
        "serial|s/n|sn |sn:|sn=|sn\t",
        r"((?<![A-Za-z])(?:(?:[a-z]{1,20}[ _])?(?:id_)?serial(?:[ _-]?(?:number|num|no|short|id))?|s/n|sn)"
        r"[\"']?(?:\s{0,40}[:=,>]\s{0,4}|\s)[\"']?)"
        r"(?=[a-z_-]{0,20}\d)([a-z0-9][a-z0-9_-]{5,60})(?![\w.])",
        False,
        re.IGNORECASE,
    ),
    # Mail
    Form(
        "e-mail",
        "(at)|[at]|{at}| at ",
        r"((?<![\w.+-]))([\w.+-]{2,64}\s?(?:\(at\)|\[at\]|\{at\})\s?[\w-]{1,63}(?:(?:\.|\s?(?:\(dot\)|\[dot\]|"
        r"\{dot\})\s?)[\w-]{1,63}){1,6}"
        r"|[\w.+-]{2,64} at [\w-]{1,63}(?: dot [\w-]{1,63}){1,6})",
        False,
        re.IGNORECASE,
    ),
    Form(
        "e-mail", 'mailto:|"@', r"(mailto:|(?<!\S)(?=\"))([\w.+-]{1,64}@[\w.-]{1,100}|\"[\w.+ -]{1,64}\"@[\w.-]{1,100})"
    ),
    # Identifiers of drives, fabrics and clouds
    Form(
        "guid",
        "nvme",
        r"(^\s{0,8}(?:/dev/)?nvme\d{1,4}n\d{1,4}\s{1,12}(?:/dev/ng\S{1,12}\s{1,12})?)"
        r"(?=[A-Z]{0,20}\d)(?=\d{0,20}[A-Z])([A-Z0-9]{10,20})(?=\s)",
    ),
    Form(
        "guid",
        "ata-|nvme-|scsi-|usb-",
        r"((?<![\w-])(?:ata|nvme|scsi|usb)-[A-Za-z][\w.-]{2,80}_)(?=[A-Z]{0,24}\d)([A-Z0-9]{8,24})(?![\w<-])",
    ),
    Form("guid", "t10.|scsi-s", r"((?<![A-Za-z0-9])(?:t10\.|scsi-S(?=ATA)))([A-Za-z0-9][\w.-]{7,80})"),
    Form(
        "guid",
        "lun|volume|vdisk",
        r"((?<![A-Za-z])(?:lun|volume|vdisk)[ _-]?(?:id|uid|wwn)" + IS + r")([0-9a-f]{16,32})(?![0-9a-z])",
        False,
        re.IGNORECASE,
    ),
    Form("guid", "uuid", r"((?<![\w:]))([0-9a-f]{8}(?::[0-9a-f]{8}){3})(?![\w:])", False, re.IGNORECASE),
    Form("guid", "partuuid=", r"((?<![A-Za-z])PARTUUID=\"?)([0-9A-Fa-f]{8}-[0-9A-Fa-f]{2})(?![\w-])"),
    Form("guid", "guid", r"((?<![A-Za-z])\w{0,20}guid[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)(\d{15,20})(?!\w)"),
    Form(
        "guid",
        "host",
        r"((?<![A-Za-z])host[ _-]?id[\"']?\s{0,4}[:=]?\s{0,4}[\"']?)(?=[a-f]{0,8}\d)([0-9a-f]{8}|[0-9a-f]{32})(?!\w)",
        False,
        re.IGNORECASE,
    ),
    Form(
        "guid",
        "i-|ami-|vol-|subnet-|vpc-|eni-|sg-|snap-|fs-",
        r"((?<![\w-])(?:i|ami|vol|subnet|vpc|eni|sg|snap|fs|fsx)-)(?=[a-f]{0,16}\d)(?=\d{0,16}[a-f])([0-9a-f]{17}|"
        r"[0-9a-f]{8})(?![\w-])",
    ),
    Form("guid", "arn:aws", r"(arn:aws[\w-]{0,12}:\w{1,40}:[\w-]{0,40}:)(\d{12})(?!\d)"),
    Form("guid", "arn:aws", r"(arn:aws[\w-]{0,12}:s3:::)([a-z0-9][\w.-]{2,62})"),
    Form("guid", "projects/", r"((?<![\w/])projects/)([a-z][a-z0-9-]{3,62})(?=/(?:zones|regions|locations|global)/)"),
    Form("guid", "resourcegroups/", r"(/resourceGroups/)([\w.-]{1,90})", False, re.IGNORECASE),
    Form("guid", "ocid1.", r"((?<![\w.])ocid1\.[a-z]{1,40}\.)([\w.-]{4,200})"),
    Form(
        "guid",
        "orcid",
        r"((?<![A-Za-z])orcid(?:\.org/|" + IS + r"))(\d{4}-\d{4}-\d{4}-\d{3}[\dX])(?!\w)",
        False,
        re.IGNORECASE,
    ),
    Form("address", "nic address", r"(NIC address:\s{1,8})(0x[0-9a-f]{3,8})(?!\w)"),
    Form("address", "lid ", r"((?<![\w-])lid )(0x[0-9a-f]{1,4}|[1-9]\d{0,4})(?![\w.])"),
    Form(
        "e-mail",
        "phone|tel|fax|mobil|call",
        r"((?<![A-Za-z])(?:phone|telefon|tel|fax|mobile?|call)\.?"
        + r"(?:\s{0,4}[:=]\s{0,4}|\s)[\"']?)(\+?\(?\d[\d ()/-]{5,24}\d)(?![\w.])",
        False,
        re.IGNORECASE,
    ),
    Form(
        "e-mail",
        "(a)|_at_|\uff20|&#64;|%40| dot ",
        r"((?<![\w.+-]))([A-Za-z][\w.+-]{1,63}(?:\(a\)|_at_|\uff20|&#64;|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"
        r"|[A-Za-z][\w-]{1,63}(?: dot [\w-]{1,63}){1,3} at [\w-]{1,63}(?: dot [\w-]{1,63}){1,6})",
        False,
        re.IGNORECASE,
    ),
)
