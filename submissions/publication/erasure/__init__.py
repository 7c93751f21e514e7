"""Erasing a published result on request: its rows, its private submission and its stored bytes."""
