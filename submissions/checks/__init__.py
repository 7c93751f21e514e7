"""Checking a submission with the validators, and its questionnaire."""
