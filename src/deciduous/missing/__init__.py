"""What a split stores about missing cells, by policy."""
