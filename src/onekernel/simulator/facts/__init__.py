"""One reading of a `.cu`: its tokens, macros, functions, declarations and launches. It changes nothing."""
