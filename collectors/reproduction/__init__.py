"""Running a published result again: what is kept of it, the job, this machine, and the comparison."""
