"""The help pages: the project's own documents, rendered, searchable and linked from every page."""
