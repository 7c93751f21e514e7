"""obdfilter-survey: bandwidth of Lustre storage targets without clients, by threads, objects and record size."""
