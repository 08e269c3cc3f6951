"""Commands of live dialogues: one per file, as in `harness/cli/`."""
