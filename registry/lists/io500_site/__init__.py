"""What others know from io500.org: its addresses, which lead to ours, and its table of a list as CSV."""
