"""Uploaded files: storage, versions, signatures, quarantine and scrubbed copies."""
