"""The parts of a document on its page: its place in the contents, its words, and tables made of data."""
