"""Growing: the record of options, the rows of a table in memory, the frontier, and the one loop."""
