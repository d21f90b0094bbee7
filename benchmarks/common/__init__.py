"""What the benchmark scripts share: data, contestants, the interleaved run, comparing trees, tables."""
