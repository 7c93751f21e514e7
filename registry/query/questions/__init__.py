"""Questions: filters, studies and facets, as read from a query string or refused."""
