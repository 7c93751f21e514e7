"""mdtest: rates of creating, statting, reading and removing files and directories, over MPI."""
