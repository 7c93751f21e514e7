"""Mail and webhooks: what is sent to whom, and when."""
