"""elbencho: bandwidth, rate and latency of phases on files, directories, block devices and objects."""
