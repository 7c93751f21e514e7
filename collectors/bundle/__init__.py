"""The archive that is uploaded: packed, redacted, signed and checked."""
