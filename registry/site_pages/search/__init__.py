"""One search over everything that is public: the record, and the site's own texts."""
