"""fastge."""
