"""What lies behind one number: targets, ranks, drives and jobs."""
