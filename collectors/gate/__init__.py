"""Whether a run is worse than a baseline: values in, a judgement out, and how it is written for people and for CI."""
