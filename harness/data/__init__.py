"""Benchmarks on this machine: declared, fetched, built, installed."""
