"""What a report says of its runs: settings, groups and completeness."""
