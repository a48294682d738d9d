"""Private predictors of a regression, and special answers that nobody seems to have given."""
