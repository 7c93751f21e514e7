"""IOR: bandwidth of writes and reads of one shared file, or of a file per process, over MPI."""
