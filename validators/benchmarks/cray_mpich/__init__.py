"""Cray MPICH: what its MPI-IO library did with each file: calls, bytes, aggregators, and bandwidth by phases."""
