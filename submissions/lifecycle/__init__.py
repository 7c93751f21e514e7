"""The states of a submission, their history and the queue of tasks."""
