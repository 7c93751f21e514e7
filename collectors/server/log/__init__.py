"""The registry's public log: signed checkpoints, tiles of hashes, and proofs that need no trust in the server."""
