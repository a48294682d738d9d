"""The lessons at /learn: textbook examples of differential privacy, with live numbers."""
