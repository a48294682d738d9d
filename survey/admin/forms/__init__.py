"""WTForms of the researchers' pages."""
