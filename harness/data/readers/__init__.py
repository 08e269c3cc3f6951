"""Readers: the public files of a data set in, a benchmark out; one module per format.

A reader is a function `read(data_set, folders, all_splits)`, with the arguments of
`declared.build_benchmark`, that returns a `Built`, or raises an `InputError` where a file is
missing or not in the expected layout.
"""
