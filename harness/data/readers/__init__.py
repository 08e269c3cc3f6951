"""Readers: the public files of a data set in, a benchmark out; one module per format."""
