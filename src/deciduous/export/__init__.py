"""A tree in the form of other tools: one file a target."""
