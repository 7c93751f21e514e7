"""Darshan: what the I/O of an application was, counted inside it: operations, bytes, time and estimated bandwidth."""
