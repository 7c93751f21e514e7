"""IOzone: bandwidth of operations on files, by file and record size or of processes that run together."""
