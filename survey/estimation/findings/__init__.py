"""What the results of a question show, and what they do not. Pages and files repeat it."""
