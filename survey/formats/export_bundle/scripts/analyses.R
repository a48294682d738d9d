# Computes saved analyses again from the responses, with base R and no package: cross-tabulations,
# groups, changes over time, correlations, crosswise questions and list experiments.
#
# Run it in the folder of the files: Rscript analyses.R, or source("analyses.R") with that folder as
# the working directory. It prints, for each analysis, how many estimates and standard errors it
# compared, and the largest difference. It does not compute intervals, tests and most likely shares
# again. The numbers of reports in other surveys are part of this file.
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
# of the target, whose rows are the answers
scores <- function(column, responses, target) products(list(column), responses, list(target))

# The same for the products of the targets of several columns. Reports on different questions are
# independent given the answers, so their scores are multiplied. Questions behind a joint question
# have one report, on a combination of answers: the product of their targets is a target for it. A
# non-private answer is its own report
products <- function(columns, responses, targets) {
  of_table <- function(column, target) {
    target <- cbind(target)
    if (is.null(column$parts)) target else target[column$parts, , drop = FALSE]
  }
  together <- split(seq_along(columns), sapply(columns, function(column) column$column))
  Reduce(`*`, lapply(together, function(own) {
    column <- columns[[own[1]]]
    target <- Reduce(`*`, Map(of_table, columns[own], targets[own]))
    worth <- if (is.null(column$rows)) target else unbiased_scores(column$rows, target)
    worth[match(responses[[column$column]], column$reports), , drop = FALSE]
  }))
}

# The answer of each response by its place, NA if there is none. Another survey's reports are given
# by their numbers
places <- function(column, responses) {
  reports <- if (is.null(column$counts)) responses[[column$column]] else
    rep(column$reports, column$counts)
  match(reports, column$reports)
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

# An estimate with its standard error. NaN is for what this script does not compute
row_of <- function(estimate, standard_error = NaN)
  data.frame(estimate = estimate, standard_error = standard_error)

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
  listed <- lapply(columns, function(column) which(own_answers(column)))
  places <- rev(expand.grid(rev(listed))) # the last column changes first
  targets <- Map(function(column, place) indicators(column)[, place, drop = FALSE], columns, places)
  found <- products(columns, responses, targets)
  among <- rowSums(found)
  cells <- lapply(seq_len(ncol(found)), function(k) found[, k])
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

# ---- Changes: a share or a mean in several surveys, and differences from the first ----

change <- function(analysis, responses) {
  waves <- Map(function(column, target) {
    if (!is.null(column$counts)) {
      responses <- list(rep(column$reports, column$counts))
      names(responses) <- column$column
      responses <- data.frame(responses, check.names = FALSE, stringsAsFactors = FALSE)
    }
    came <- complete(list(column), responses)
    answered <- scores(column, came, as.numeric(own_answers(column)))[, 1]
    table_of(list(ratio(scores(column, came, target)[, 1], answered)))
  }, analysis$columns, analysis$targets)
  waves <- do.call(rbind, waves)
  # If respondents are the same in several surveys, the error of a difference is a bound
  if (!analysis$different) return(waves)
  count <- nrow(waves)
  combined <- function(coefficients)
    row_of(sum(coefficients * waves$estimate),
           sqrt(sum((coefficients * waves$standard_error)^2)))
  later <- lapply(seq_len(count)[-1], function(k)
    combined((seq_len(count) == k) - (seq_len(count) == 1)))
  steps <- seq_len(count) - (count + 1) / 2
  trend <- if (count > 2) list(combined(steps / sum(steps^2))) else list()
  do.call(rbind, c(list(waves), later, trend))
}

# ---- Crosswise: two statements, and one answer whether both have the same truth value ----

crosswise <- function(analysis, responses) {
  columns <- analysis$columns
  place <- lapply(columns, places, responses)
  gave <- function(role) place[[role]] %in% 1:2
  answered <- gave("asked"); same <- place$asked %in% 1
  in_second <- rep(FALSE, nrow(responses))
  if (!is.null(columns$second)) {
    in_second <- gave("second")
    same[in_second] <- place$second[in_second] == 1
    answered <- answered | in_second
  }
  if (!is.null(columns$by)) {
    in_second <- place$by %in% 2
    answered <- answered & gave("by")
  }
  # In the second of two groups, "different" is as likely as "same" in the first
  supporting <- same != in_second
  if (!is.null(columns$anchor)) answered <- answered & gave("anchor")
  passed <- if (is.null(columns$check)) list() else
    list(answered & place$check %in% analysis$check_place)
  sets <- c(list(answered), passed)
  figures <- function(kept, corrected) {
    n <- sum(kept)
    mirrored <- function(agrees, p, q) {
      share <- mean(agrees)
      row_of((share - q) / (p - q), sqrt(share * (1 - share) / (n - 1)) / abs(p - q))
    }
    p <- analysis$known
    uncorrected <- mirrored(supporting[kept], p, 1 - p)
    if (is.null(columns$anchor)) return(uncorrected)
    # The anchor's first statement is true for nobody
    slope <- 2 * p - 1; anchor_slope <- 1 - 2 * analysis$anchor_known
    anchor_same <- place$anchor[kept] == 1
    attentive <- mirrored(anchor_same, (1 + anchor_slope) / 2, 1 / 2)
    if (!corrected) return(rbind(uncorrected, attentive, row_of(NA, NA)))
    above <- ifelse(supporting[kept], 1, -1) / slope
    below <- ifelse(anchor_same, 1, -1) / anchor_slope
    ratio <- mean(above) / mean(below)
    error <- sqrt(sum((above - ratio * below)^2) / n / (n - 1)) / mean(below)
    rbind(uncorrected, attentive, row_of((1 + ratio) / 2, error / 2))
  }
  do.call(rbind, Map(figures, sets, analysis$corrected))
}

# ---- List experiments: the difference of two mean numbers of true statements ----

list_experiment <- function(analysis, responses) {
  columns <- analysis$columns
  numbers <- function(column, kept = TRUE) {
    place <- places(column, responses)
    column$values[place[!is.na(place) & place <= column$listed & kept]]
  }
  if (is.null(columns$by)) {
    groups <- list(numbers(columns$count), numbers(columns$treatment))
  } else {
    by <- places(columns$by, responses)
    groups <- list(numbers(columns$count, by %in% (3 - analysis$treated)),
                   numbers(columns$count, by %in% analysis$treated))
  }
  items <- analysis$items
  counts <- Map(function(group, most) tabulate(group + 1, most + 1), groups, c(items, items + 1))
  means <- sapply(groups, mean); n <- lengths(groups)
  variance <- sapply(groups, stats::var) / n
  share <- row_of(diff(means), sqrt(sum(variance)))
  # A type of y control statements: the difference of two cumulative shares
  below <- Map(function(count, size) cumsum(count) / size, counts, n)
  control <- below[[1]]; treatment <- below[[2]][seq_len(items + 1)]
  type <- function(plus, minus, sizes)
    row_of(plus - minus, sqrt(plus * (1 - plus) / sizes[1] + minus * (1 - minus) / sizes[2]))
  with_trait <- type(control, treatment, n)
  without <- type(treatment, c(0, control[seq_len(items)]), rev(n))
  types <- rbind(with_trait, without)
  each <- lapply(seq_len(nrow(types)), function(k) rbind(types[k, ], row_of(NaN)))
  do.call(rbind, c(list(share, row_of(NaN), row_of(means, NA), row_of(unlist(counts), NA)), each))
}

# ---- Correlations: from the moments x, y, x^2, y^2 and xy ----

correlation <- function(analysis, responses) {
  pairs <- combn(length(analysis$columns), 2)
  found <- lapply(seq_len(ncol(pairs)), function(pair) {
    columns <- analysis$columns[pairs[, pair]]; targets <- analysis$targets[pairs[, pair]]
    came <- complete(columns, responses)
    power <- function(k, exponent) targets[[k]]^exponent * own_answers(columns[[k]])
    product <- function(a, b) products(columns, came, list(power(1, a), power(2, b)))[, 1]
    among <- product(0, 0)
    moment <- function(a, b) ratio(product(a, b), among)
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
    repeated <- !is.nan(as.matrix(own))
    apart <- apart[repeated]
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
