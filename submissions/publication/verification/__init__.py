"""The whole record held against the stored bytes, the history and the log; nothing is written."""
