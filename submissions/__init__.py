"""From upload to publication, private: intake, processing, review, publication."""
