"""Studies: questions to the record, their tables, charts and files; curated ones are the JSON files beside."""
