"""Tests of the pages of systems, sites and platforms."""
