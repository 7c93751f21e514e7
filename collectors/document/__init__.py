"""The system document: made, folded, merged and compared."""
