"""Who gets into a closed registry, and what they typed before they signed in."""
