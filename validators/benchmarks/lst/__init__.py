"""LNet self-test: bandwidth and message rate between Lustre nodes, without disks."""
