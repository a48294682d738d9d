"""Charts: each module computes one from results, and `templates/_shapes.html` prints it."""
