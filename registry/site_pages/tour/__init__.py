"""The tour at /tour/: five screens on made-up runs, each computed by the code that shows results."""
