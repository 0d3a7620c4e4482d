"""labs/*/lab.toml, read and validated through the kinds of check."""
