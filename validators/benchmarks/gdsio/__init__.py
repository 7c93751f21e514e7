"""gdsio: bandwidth and latency between storage and the memory of GPUs, by data path."""
