"""The three algorithms of the textbooks: each a value of the one record of options."""
