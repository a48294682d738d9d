"""The installed Candor. The folder `program` has it, with the layout of the repository."""
