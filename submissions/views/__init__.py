"""The private pages: thin edges over intake, review and publication. Nothing here is kept by any cache."""
