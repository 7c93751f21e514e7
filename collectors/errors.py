"""Everything that can stop the collector, and the exit status each has.

CollectorError         a message, what to do next, a stable code
|-- UsageError         2: wrong arguments, settings or metadata file
|-- BundleError        1: the results cannot be packed or sent as they are
|-- NothingCollected   3: there is nothing to pack
|-- NetworkError       4: the server was not reached, or did not answer in time
`-- ServerRefusal      1 where the server refused what was sent, 2 where it has nothing of that id or name,
                       3 where the log has no record yet, else 4
"""

OK = 0
FINDINGS = 1
USAGE = 2
NOTHING = 3
NETWORK = 4

# Answers about what was sent, or its state; every other refusal is about the way to the server.
REFUSED_CONTENT = (400, 409, 413, 415, 422)
UNKNOWN_NAME = (404, 410)
NOT_RECORDED = "log.not-recorded"
# Codes of a 404 about the address itself: no registry is there, or an earlier one without it.
NO_ADDRESS = ("http.404", "http.410", "request.not-found")


class CollectorError(Exception):
    """A failure that is told in one or two plain lines: `message`, then `hint`."""

    exit_status = NETWORK

    def __init__(self, code, message, hint=""):
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def as_json(self):
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(CollectorError):
    exit_status = USAGE


class BundleError(CollectorError):
    exit_status = FINDINGS


class NothingCollected(CollectorError):
    exit_status = NOTHING


class NetworkError(CollectorError):
    exit_status = NETWORK


class ServerRefusal(CollectorError):
    """The server answered, and said no. `http_status` is its answer."""

    def __init__(self, code, message, hint="", http_status=0):
        super().__init__(code, message, hint)
        self.http_status = http_status
        if http_status in REFUSED_CONTENT:
            self.exit_status = FINDINGS
        elif code == NOT_RECORDED:
            self.exit_status = NOTHING
        elif http_status in UNKNOWN_NAME and code not in NO_ADDRESS:
            self.exit_status = USAGE

    def as_json(self):
        return dict(super().as_json(), http_status=self.http_status)
