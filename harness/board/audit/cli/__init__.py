"""The command of the audit."""
