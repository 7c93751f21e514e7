"""A system over time: its numbers as series, their steps, and the measurements that a release asks for."""
