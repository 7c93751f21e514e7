"""Releases and lists: from accepted submissions to the public record."""
