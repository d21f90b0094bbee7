"""Simplified rules: a tree's rules made shorter and fewer, in the way of C4.5's rules; a model of its own."""
