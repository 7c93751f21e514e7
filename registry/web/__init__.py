"""What all pages and API calls share."""
