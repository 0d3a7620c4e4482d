"""A `.cu` file to C++ that a C++ compiler takes, token by token."""
