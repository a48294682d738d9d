"""The decision trees of the lessons: their tables, how each grows, and their pictures."""
