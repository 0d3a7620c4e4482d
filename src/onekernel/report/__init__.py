"""What grading concludes, for people and for learning-management systems."""
