"""What the test suite takes."""
