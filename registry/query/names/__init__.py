"""Names: how they are folded, which one is canonical, and how releases are ordered."""
