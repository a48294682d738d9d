"""Private predictors of a regression, whose answers are known from reports only."""
