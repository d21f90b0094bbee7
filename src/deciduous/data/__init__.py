"""Tables: what the columns are, how their cells become codes and numbers, and how files are read."""
