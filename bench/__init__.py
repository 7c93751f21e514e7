"""Benchmarks of our own code: `./dev.py bench [NAME]` prints one JSON line per figure. docs/bench.md explains them."""
