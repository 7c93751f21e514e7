"""MLPerf Storage: how many accelerators a storage system keeps busy in training, and how fast it takes checkpoints."""
