# Computes saved analyses again from the responses, with base R and no package: cross-tabulations,
# groups and correlations.
#
# Run it in the folder of the files: Rscript analyses.R, or source("analyses.R") with that folder as
# the working directory. It prints, for each analysis, how many estimates and standard errors it
# compared, and the largest difference. It does not compute intervals and tests again.
# docs/explanation/analyses.md of Candor has the formulas. The functions come first, then the
# analyses of the survey.

# Least-variance S with P S = target, one row for each report
unbiased_scores <- function(rows, target) {
  table <- rows / sum(rows[1, ])
  root_mass <- sqrt(colSums(table))
  parts <- svd(sweep(table, 2, root_mass, "/"))
  kept <- parts$d > .Machine$double.eps * max(dim(table)) * parts$d[1]
  inner <- crossprod(parts$u[, kept, drop = FALSE], target) / parts$d[kept]
  (parts$v[, kept, drop = FALSE] %*% inner) / root_mass
}

read_cells <- function(file)
  read.csv(file, colClasses = "character", check.names = FALSE, na.strings = character(0),
           encoding = "UTF-8")

# The scores of each response for a target: one row for each response, one column for each column
# of the target, whose rows are the answers. A non-private answer is its own report
scores <- function(column, responses, target) {
  target <- cbind(target)
  worth <- if (is.null(column$rows)) target else unbiased_scores(column$rows, target)
  worth[match(responses[[column$column]], column$reports), , drop = FALSE]
}

own_answers <- function(column) seq_along(column$values) <= column$listed
indicators <- function(column) diag(length(column$values))

# The responses that report on every column
complete <- function(columns, responses) {
  for (column in columns) responses <- responses[responses[[column$column]] != "", , drop = FALSE]
  responses
}

# The ratio of two mean scores, with what each response adds to it (delta method); NULL if the mean
# of `among` is zero or less
ratio <- function(above, among) {
  below <- mean(among)
  if (below <= 1e-12) return(NULL)
  value <- mean(above) / below
  list(value = value, influence = (above - value * among) / below)
}
less <- function(one, other)
  if (is.null(one) || is.null(other)) NULL else
    list(value = one$value - other$value, influence = one$influence - other$influence)

# One row for each figure
table_of <- function(found) {
  error <- function(each) {
    n <- length(each$influence)
    sqrt(sum((each$influence - mean(each$influence))^2) / (n - 1) / n)
  }
  data.frame(estimate = sapply(found, function(each) if (is.null(each)) NA else each$value),
             standard_error = sapply(found, function(each) if (is.null(each)) NA else error(each)))
}

# ---- Cross-tabulations: the mean of the products of the scores ----

crosstab <- function(analysis, responses) {
  columns <- analysis$columns
  responses <- complete(columns, responses)
  each <- lapply(columns, function(column) scores(column, responses, indicators(column)))
  listed <- lapply(columns, function(column) which(own_answers(column)))
  among <- Reduce(`*`, Map(function(s, l) rowSums(s[, l, drop = FALSE]), each, listed))
  places <- rev(expand.grid(rev(listed))) # the last column changes first
  cell <- function(place) Reduce(`*`, Map(function(s, a) s[, a], each, as.list(place)))
  cells <- lapply(seq_len(nrow(places)), function(k) cell(unlist(places[k, ])))
  total <- function(axis) lapply(seq_along(cells), function(k) {
    alike <- apply(places[-axis], 1, function(row) all(row == unlist(places[k, -axis])))
    Reduce(`+`, cells[alike])
  })
  of_row <- Map(ratio, cells, total(2)); of_column <- Map(ratio, cells, total(1))
  above <- which(places[[1]] != 1)
  width <- nrow(places) / length(listed[[1]])
  differences <- lapply(above, function(k) less(of_row[[k]], of_row[[(k - 1) %% width + 1]]))
  special <- any(sapply(columns, function(column) any(!own_answers(column))))
  given <- if (special) list(ratio(among, rep(1, length(among)))) else list()
  table_of(c(given, lapply(cells, ratio, among), of_row, of_column, differences))
}

# ---- Groups: a share or a mean in each group, and differences ----

groups <- function(analysis, responses) {
  outcome <- analysis$columns[[1]]; group <- analysis$columns[[2]]
  responses <- complete(analysis$columns, responses)
  inside <- scores(group, responses, indicators(group))[, own_answers(group), drop = FALSE]
  worth <- scores(outcome, responses, analysis$target)[, 1]
  answered <- scores(outcome, responses, as.numeric(own_answers(outcome)))[, 1]
  every <- seq_len(ncol(inside))
  any_group <- rowSums(inside)
  sizes <- lapply(every, function(g) ratio(inside[, g], any_group))
  values <- lapply(every, function(g) ratio(worth * inside[, g], answered * inside[, g]))
  everyone <- list(ratio(worth * any_group, answered * any_group))
  table_of(c(sizes, values, everyone))
}

# ---- Correlations: from the moments x, y, x^2, y^2 and xy ----

correlation <- function(analysis, responses) {
  pairs <- combn(length(analysis$columns), 2)
  found <- lapply(seq_len(ncol(pairs)), function(pair) {
    columns <- analysis$columns[pairs[, pair]]; targets <- analysis$targets[pairs[, pair]]
    came <- complete(columns, responses)
    power <- function(k, exponent) {
      of_answer <- if (exponent == 0) rep(1, length(targets[[k]])) else targets[[k]]^exponent
      scores(columns[[k]], came, of_answer * own_answers(columns[[k]]))[, 1]
    }
    moment <- function(a, b) ratio(power(1, a) * power(2, b), power(1, 0) * power(2, 0))
    x <- moment(1, 0); y <- moment(0, 1); xx <- moment(2, 0); yy <- moment(0, 2); xy <- moment(1, 1)
    if (is.null(x)) return(NULL)
    # Rounding at random adds this variance to a private number
    added <- sapply(columns, function(column) column$rounding)
    variances <- c(xx$value - x$value^2, yy$value - y$value^2) - added
    if (min(variances) <= 0) return(NULL)
    root <- sqrt(prod(variances))
    value <- (xy$value - x$value * y$value) / root
    influence <- (xy$influence - x$value * y$influence - y$value * x$influence) / root -
      value / 2 * ((xx$influence - 2 * x$value * x$influence) / variances[1] +
                     (yy$influence - 2 * y$value * y$influence) / variances[2])
    list(value = value, influence = influence)
  })
  table_of(found)
}

# ---- All together ----

main <- function() {
  # Rscript passes the path of this file; the other files are in the same folder
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(script) == 1) setwd(dirname(gsub("~+~", " ", script, fixed = TRUE)))
  responses <- read_cells(responses_file)
  largest <- 0
  for (analysis in analyses) {
    own <- get(analysis$kind)(analysis, responses)
    published <- read_cells(analysis$file)[seq_len(nrow(own)), ]
    # Figures of one analysis have one unit, so the largest one is the scale
    theirs <- sapply(published[c("estimate", "standard_error")],
                     function(x) suppressWarnings(as.numeric(x)))
    apart <- abs(as.matrix(own) - theirs) / max(1, abs(theirs), na.rm = TRUE)
    apart[is.na(as.matrix(own)) & is.na(theirs)] <- 0
    apart[is.na(apart)] <- Inf
    cat(analysis$file, ": ", length(apart), " figures compared. Largest difference: ",
        format(max(apart), digits = 3), "\n", sep = "")
    largest <- max(largest, apart)
  }
  if (largest <= 1e-9) 0 else 1
}

# ---- The survey ----

# <survey>

status <- main()
if (!interactive()) quit(status = status)
