"""The web server: how requests arrive and answers leave."""
