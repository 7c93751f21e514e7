"""What all pages and API calls of submissions share."""
