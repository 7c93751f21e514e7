"""What those on call see: counts and times of requests and tasks, and log lines that say whose they are."""
