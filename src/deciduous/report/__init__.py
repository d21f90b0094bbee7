"""The report: one HTML file that shows a fitted tree to others, and works without a network."""
