# Calculate estimates and standard errors again, and compare them with the file of estimates.
# Intervals are only in that file. Candor's docs/explanation/mathematics.md has the formulas.

people <- Inf # the number of people whom the estimates describe
figures <- c("n", "estimate", "standard_error", "asked_estimate", "asked_standard_error")

line <- function(measure, answer, n, found)
  data.frame(measure, answer, n, estimate = found[1], standard_error = sqrt(max(0, found[2])),
             asked_estimate = NA_real_, asked_standard_error = NA_real_)

# The variance of an estimate about `size` people whose values have the variance `spread`
finite <- function(variance, spread, size, least = 0) {
  if (is.infinite(size) || is.na(variance)) return(variance)
  smaller <- min(variance, max(least, ((size - 1) * variance - spread) / size))
  if (smaller > 1e-12 * variance) smaller else 0
}

# Two functions of a value of each answer: its scores, and its mean with the mean's variance. The
# scores S solve P S = value with the smallest variance. `rows` is NULL for answers as given. The
# mean is among those with `given`. Browsers rounded values at random to levels of a `width`.
estimator <- function(counts, rows) {
  n <- sum(counts)
  if (!is.null(rows)) {
    table <- rows / rowSums(rows)
    root <- sqrt(colSums(table))
    parts <- svd(sweep(table, 2, root, "/"))
    kept <- parts$d > .Machine$double.eps * max(dim(table)) * parts$d[1]
    inverse <- t(parts$u[, kept, drop = FALSE]) / parts$d[kept]
    inverse <- parts$v[, kept, drop = FALSE] %*% inverse / root
  }
  score <- function(values) {
    if (is.null(rows)) return(values)
    scores <- as.vector(inverse %*% values)
    off <- max(abs(table %*% scores - values))
    if (off > 1e-9 * max(1, abs(scores))) NULL else scores
  }
  average <- function(values, given, size, width = 0) {
    worth <- score(values); among <- score(given)
    if (is.null(worth) || is.null(among) || sum(counts * among) <= 0) return(NULL)
    value <- sum(counts * worth) / sum(counts * among)
    values <- values - value * given
    worth <- score(values); own <- score(values^2)
    if (n == 1) return(c(value, NA))
    variance <- sum(counts * (worth - sum(counts * worth) / n)^2) / n / (n - 1)
    if (!is.null(own)) {
      spread <- sum(counts * own) / n - (sum(counts * worth) / n)^2
      if (width > 0) spread <- max(0, spread - (width / 2)^2)
      noise <- if (is.null(rows)) 0 else min(table %*% worth^2 - values^2) / n
      variance <- finite(variance, spread, size, noise)
    }
    c(value, variance / (sum(counts * among) / n)^2)
  }
  list(score = score, average = average)
}

# The share of the answers with a 1 in each column of `target`, then the means
of_table <- function(question, counts, rows, names, target, width = 0) {
  n <- sum(counts); use <- estimator(counts, rows)
  size <- if (width > 0) Inf else people # random rounding makes the part of an answer random
  columns <- as.data.frame(target)
  shares <- lapply(columns, use$average, rep(1, nrow(target)), size)
  if (any(sapply(shares, is.null))) names <- shares <- NULL # some reports identify only the mean
  found <- do.call(rbind, Map(line, "share", names, n, shares, USE.NAMES = FALSE))
  if (!is.null(found) && !is.null(question$conditional)) {
    scores <- sweep(sapply(columns, use$score), 2, found$estimate)
    both <- colSums(counts / n * scores[, ncol(scores)] * scores) / max(1, n - 1)
    found <- add_asked(found, both, found$estimate, size, is.null(rows))
  }
  for (each in question$means) {
    rest <- rep(0, nrow(target) - length(each[[3]]))
    value <- use$average(c(each[[3]], rest), c(each[[3]]^0, rest), people, width)
    if (!is.null(value)) found <- rbind(found, line(each[[1]], each[[2]], n, value))
  }
  found
}

# Add the shares of those asked: a share over 1 minus that of "not asked", the last answer
add_asked <- function(found, both, values, size, non_private) {
  last <- nrow(found); n <- found$n[last]; below <- 1 - found$estimate[last]
  asked <- round(below * n); errors <- found$standard_error
  if (below <= 1e-9 || (!non_private && anyNA(errors))) return(found)
  for (j in seq_len(last - 1)) {
    share <- found$estimate[j] / below
    if (non_private) { # the share of the respondents who were asked
      share <- round(found$estimate[j] * n) / asked
      variance <- if (asked > 1) share * (1 - share) / (asked - 1) else NA
      variance <- finite(variance, share * (1 - share), max(asked, round(size * asked / n)))
    } else {
      product <- values[j] * values[last]
      common <- if (is.finite(size)) ((size - 1) * both[j] + product) / size else both[j]
      variance <- (errors[j]^2 + 2 * share * common + (share * errors[last])^2) / below^2
    }
    found[j, figures[4:5]] <- c(share, sqrt(max(0, variance)))
  }
  found
}

# Shares from the numbers of set and other bits, with `bits` of them for each answer
of_answers <- function(question, pairs, bits) {
  p <- question$chances[1]; q <- question$chances[2]
  own <- question$chances[3]; other <- question$chances[4]
  n <- sum(pairs[1, ]) / bits[1]; seen <- pairs[, 1] / n; more <- bits - 1
  values <- (seen - bits * q) / (p - q)
  both <- seen + 2 * more * values * (own - other) + bits * more * other
  variances <- (both - seen^2) / max(1, n - 1) / (p - q)^2
  with_it <- p + more * (q + 2 * own + (bits - 2) * other) - (p + more * q)^2
  without <- bits * q + bits * more * other - (bits * q)^2
  least <- pmin(with_it, without) / (p - q)^2 / n
  do.call(rbind, lapply(seq_along(values), function(j) {
    variance <- finite(variances[j], values[j] * (1 - values[j]), people, least[j])
    line("share", question$answers[j], n, c(values[j], if (n > 1) variance else NA))
  }))
}

# From bits for answers or boxes. Two are 1 with `own` if one is the own answer, or `other`
of_bits <- function(question, cells) {
  pairs <- t(sapply(unname(cells), function(cell) c(sum(cell == "1"), sum(cell == "0"))))
  p <- question$chances[1]; q <- question$chances[2] # these four only with bits for each answer
  own <- question$chances[3]; other <- question$chances[4]; k <- length(question$answers)
  bits <- rep(1, k) # the bits of each answer: for a joint question its combinations
  if (!is.null(question$parts_of)) {
    groups <- outer(seq_len(k) - 1, question$parts_of, "==") + 0
    bits <- rowSums(groups); pairs <- groups %*% pairs
  }
  found <- if (!is.null(question$chances)) of_answers(question, pairs, bits) else
    do.call(rbind, lapply(which(rowSums(pairs) > 0), function(j) # the others have no report
      of_table(list(), pairs[j, ], question$rows, question$answers[j], cbind(c(1, 0)))))
  n <- found$n; values <- found$estimate; last <- tail(values, 1)
  if (!is.null(question$conditional) && sum(pairs[k, ]) > 0) {
    if (question$kind == "boxes") { # nobody ticks a box that they were not shown
      values <- pmin(pmax(values, 0), 1)
      both <- -values * values[length(values)] * sum(pairs) / (k * (k - 1)) / (n * n[length(n)])
      if (!question$non_private) both <- both * (question$sample - 1)
    } else {
      both <- (bits * last + bits[k] * values) * (own - other) + bits * bits[k] * other
      both <- (both - pairs[, 1] * pairs[k, 1] / n^2) / pmax(1, n - 1) / (p - q)^2
    }
    found <- add_asked(found, both, values, people, question$non_private)
  }
  for (each in question$means) {
    levels <- each[[3]]; first <- seq_along(values) <= length(levels); n <- found$n[1]
    middle <- weighted.mean(levels, bits[first]); given <- 1 - sum(values[!first])
    if (given <= 1e-9) next
    value <- middle + sum((levels - middle) * values[first]) / given
    w <- c(levels - middle, rep(value - middle, sum(!first)))
    total <- sum(bits * w); squares <- sum(bits * w^2)
    noise <- q * squares + (p - q) * w^2 + other * (total^2 - squares) +
      2 * w * (total - w) * (own - other) - (q * total + (p - q) * w)^2
    noise <- noise / (p - q)^2
    sampled <- if (is.finite(people)) (people - n) / max(1, people - 1) else 1
    second <- noise + sampled * w^2; half <- (max(second) + min(second)) / 2
    variance <- min(max(half + sum(values * (second - half)), min(second)), max(second))
    variance <- max(variance - sampled * (value - middle)^2, min(noise)) / given^2 / (n - 1)
    found <- rbind(found, line(each[[1]], each[[2]], n, c(value, if (n > 1) variance else NA)))
  }
  found
}

# The rows of one question
estimates_of <- function(question, responses) {
  cells <- responses[question$columns]
  if (all(cells == "")) return(NULL)
  if (question$kind %in% c("bits", "boxes")) return(of_bits(question, cells))
  cells <- do.call(paste0, unname(cells)); cells <- cells[cells != ""]
  reports <- question$reports
  if (is.null(reports))
    reports <- c(setdiff(cells, question$special_answers), question$special_answers)
  counts <- tabulate(match(cells, reports), length(reports))
  if (!is.null(question$parts_of)) # each report of a joint question contains an answer
    counts <- as.vector(outer(seq_along(question$answers) - 1, question$parts_of, "==") %*% counts)
  rows <- if (!question$non_private) question$rows
  if (question$kind != "number") {
    target <- question$target
    if (is.null(target)) target <- diag(if (is.null(rows)) length(counts) else nrow(rows))
    return(of_table(question, counts, rows, question$answers, target))
  }
  others <- length(question$answers) - question$parts
  places <- seq_len(question$levels) - 1
  if (is.null(rows)) places <- round((as.numeric(head(reports, length(reports) - others)) -
                                        question$low) / question$step)
  groups <- c(places %/% question$part_size, question$parts + seq_len(others) - 1)
  question$means <- list(list("mean", "", question$low + question$step * places))
  width <- if (is.null(rows) || question$step == question$answer_step) 0 else question$step
  target <- outer(groups, seq_along(question$answers) - 1, "==") + 0
  of_table(question, counts, rows, question$answers, target, width)
}

main <- function() {
  read_cells <- function(file) read.csv(file, colClasses = "character", check.names = FALSE,
                                        na.strings = character(0), encoding = "UTF-8")
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(script) == 1) setwd(dirname(gsub("~+~", " ", script, fixed = TRUE)))
  responses <- read_cells(responses_file)
  size <- if (identical(results_about, "respondents")) nrow(responses) else results_about
  if (is.numeric(size) && nrow(responses) <= size) people <<- size # a smaller size cannot be right
  own <- do.call(rbind, lapply(questions, function(each) {
    found <- estimates_of(each, responses)
    if (!is.null(found)) cbind(question = each$name, found)
  }))
  rows <- subset(read_cells(estimates_file), measure != "") # texts have no measure
  key <- function(rows) paste(rows$question, rows$measure, rows$answer, sep = ", ")
  more <- setdiff(if (!is.null(own)) key(own), key(rows))
  verdicts <- rep("DIFFERS", length(more))
  if (length(more)) cat(paste0(more, ": DIFFERS: it is not in the file of estimates\n"), sep = "")
  rows[figures] <- lapply(rows[figures], function(x) as.numeric(ifelse(x == "", NA, x)))
  sizes <- pmax(1, do.call(pmax, c(lapply(rows[figures[-1]], abs), na.rm = TRUE)))
  sizes <- ave(sizes, paste(rows$question, rows$measure), FUN = max)
  for (j in seq_len(nrow(rows))) {
    a <- unlist(rows[j, figures]); b <- unlist(own[match(key(rows[j, ]), key(own)), figures])
    off <- ifelse(pmax(abs(a), abs(b)) > 1e-7 * sizes[j], abs(a - b), 0)
    same <- all(is.na(a) == is.na(b)) && max(0, off, na.rm = TRUE) <= 1e-9 * sizes[j]
    verdict <- paste0(if (same) "agrees" else "DIFFERS", ": ", b[2], ", standard error ", b[3])
    if (rows$measure[j] == "deviation" || startsWith(rows$measure[j], "quantile"))
      verdict <- "not recomputed: it is not a mean of scores"
    else if (rows$weights[j] != "") verdict <- "not recomputed: it has weights"
    verdicts <- c(verdicts, sub(":.*", "", verdict))
    cat(sub(", $", "", key(rows[j, ])), ": ", verdict, "\n", sep = "")
  }
  cat("Rows:", paste(sort(unique(verdicts)), table(verdicts), collapse = ", "), "\n")
  as.integer("DIFFERS" %in% verdicts)
}

# <survey>

if (interactive()) main() else quit(status = main())
