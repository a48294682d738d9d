# Computes the estimates of estimates.csv again from responses.csv, with base R and no package.
# The columns heaped_low and heaped_high are the exception.
#
# Run it in the folder of the files: Rscript estimate.R, or source("estimate.R") with that folder as
# the working directory. It writes its own file of estimates and prints the largest difference.
# docs/explanation/mathematics.md of Candor has the formulas and their sources. The functions come
# first, then the tables of the survey.

level <- 0.95 # of each interval
people <- Inf # the number of people whom the estimates describe
figures <- c("n", "observed", "estimate", "standard_error", "low", "high", "possible",
             "variance_at_observed", "variance_bound", "asked_estimate", "asked_standard_error",
             "asked_low", "asked_high")

# The root of a function, to the last digits
root <- function(f, one, other, ...) {
  found <- uniroot(f, range(one, other), ..., tol = 1e-15 * max(abs(one), abs(other)),
                   maxiter = 1000)$root
  # a second search near the first root, for roots that are small compared with the range
  near <- found + c(-1e-9, 1e-9) * abs(found)
  at <- sign(c(f(near[1], ...), f(near[2], ...)))
  if (anyNA(at) || at[1] * at[2] >= 0) return(found)
  uniroot(f, near, ..., tol = 1e-16 * abs(found), maxiter = 1000)$root
}

# ---- Scores: the value of each report; their mean is the estimate ----

# Least-variance S with P S = target, one row for each report; NULL if there is none
unbiased_scores <- function(rows, target) {
  table <- rows / sum(rows[1, ])
  root_mass <- sqrt(colSums(table))
  parts <- svd(sweep(table, 2, root_mass, "/"))
  kept <- parts$d > .Machine$double.eps * max(dim(table)) * parts$d[1]
  inner <- crossprod(parts$u[, kept, drop = FALSE], target) / parts$d[kept]
  scores <- (parts$v[, kept, drop = FALSE] %*% inner) / root_mass
  off <- max(abs(table %*% scores - target))
  if (off > 1e-9 * max(1, abs(scores))) NULL else scores
}

# The reports that support an answer, with probability p given this answer and q given another;
# NULL if the scores have more than two values
support_of <- function(rows, scores, meant) {
  high <- max(scores); low <- min(scores)
  speaks <- scores > (high + low) / 2
  if (max(abs(scores - ifelse(speaks, high, low))) > 1e-9 * max(1, high - low)) return(NULL)
  chance <- function(x) sum(rows[x, speaks]) / sum(rows[1, ])
  list(speaks = speaks, p = chance(which.max(meant)), q = chance(which.min(meant)))
}

# The unbiased estimate of the variance of the mean score; NA for a single response
variance_of_mean <- function(scores, counts) {
  n <- sum(counts)
  if (n == 1) return(NA)
  shares <- counts / n
  max(0, sum(shares * (scores - sum(shares * scores))^2) / (n - 1))
}

# Maximum likelihood, by projected Newton steps (Bertsekas 1982)
most_likely_shares <- function(rows, counts) {
  table <- rows / sum(rows[1, ]); observed <- counts / sum(counts); k <- nrow(rows)
  scores <- unbiased_scores(rows, diag(k))
  unbiased <- if (is.null(scores)) rep(1, k) else as.vector(observed %*% scores)
  if (nrow(rows) == ncol(rows) && min(unbiased) >= 0) return(unbiased / sum(unbiased))
  table <- table[, observed > 0, drop = FALSE]; observed <- observed[observed > 0]
  height <- function(shares) {
    chances <- as.vector(shares %*% table)
    if (min(chances) <= 0) Inf else sum(shares) - sum(observed * log(chances))
  }
  shares <- pmax(unbiased, 1 / k / 100)
  shares <- shares / sum(shares)
  off <- Inf
  for (round in 1:500) {
    here <- height(shares); before <- off
    ratios <- observed / as.vector(shares %*% table)
    slope <- 1 - as.vector(table %*% ratios)
    off <- max(-min(slope), abs(shares * slope))
    if (off < 1e-14 || (off < 1e-9 && off >= before)) break
    far <- max(abs(shares - pmax(shares - slope, 0)))
    free <- (shares > min(0.01, far)) | (slope < 0)
    bent <- sweep(table[free, , drop = FALSE], 2, ratios / sqrt(observed), "*")
    curvature <- tcrossprod(bent)
    ridge <- max(far, 1e-14) * mean(diag(curvature))
    step <- -shares
    step[free] <- -solve(curvature + ridge * diag(nrow(curvature)), slope[free], tol = 0)
    stride <- 1
    limit <- here + 1e-14 * max(1, abs(here))
    while (height(pmax(shares + stride * step, 0)) > limit && stride > 1e-14) stride <- stride / 2
    shares <- pmax(shares + stride * step, 0)
  }
  shares / sum(shares)
}

# The shares nearest to these values that add up to one: Held, Wolfe & Crowder (1974)
nearest_shares <- function(values) {
  falling <- sort(values, decreasing = TRUE)
  excess <- (cumsum(falling) - 1) / seq_along(values)
  pmax(values - excess[max(which(falling > excess))], 0)
}

# ---- Intervals ----

# The smallest P in a range that the exact test accepts for y of n reports. The test orders outcomes
# by their likelihood ratio against the best P in the range: Feldman & Cousins (1998). Below y / n,
# the likelier outcomes are those from a + 1 to y - 1. From a value of P on, its crossing, the
# outcome a is no longer likelier than y
smallest_accepted <- function(y, n, least, most, at_level) {
  if (y <= n * least) return(least)
  height <- function(outcome) { # the largest log-likelihood, without the binomial coefficient
    best <- min(max(outcome / n, least), most)
    (if (outcome > 0) outcome * log(best) else 0) +
      (if (outcome < n) (n - outcome) * log1p(-best) else 0)
  }
  crossing <- function(a) if (a < 0) least else plogis((height(y) - height(a)) / (y - a))
  excess <- function(chance, a) # of the probability of all outcomes that are not likelier than y
    pbinom(a, n, chance) + pbinom(y - 1, n, chance, lower.tail = FALSE) - (1 - at_level)
  rejected <- -2; accepted <- y - 1
  while (accepted - rejected > 1) {
    a <- floor((accepted + rejected) / 2)
    if (excess(crossing(a), a) > 0) accepted <- a else rejected <- a
  }
  if (accepted < 0) return(least)
  end <- crossing(accepted)
  if (excess(end, accepted - 1) <= 0) return(end)
  root(excess, crossing(accepted - 1), end, a = accepted - 1)
}

# For the share pi behind a binomial count with chance q + (p - q) pi
unlimited_bounds <- function(successes, n, p, q, at_level = level) {
  least <- min(p, q); most <- max(p, q)
  bounds <- c(smallest_accepted(successes, n, least, most, at_level),
              1 - smallest_accepted(n - successes, n, 1 - most, 1 - least, at_level))
  bounds <- sort((bounds - q) / (p - q))
  c(max(0, bounds[1]), min(1, bounds[2]))
}

# The same for the share of a population of `size` people, n of whom report
share_interval <- function(successes, n, p, q, size = Inf) {
  if (is.infinite(size)) {
    bounds <- unlimited_bounds(successes, n, p, q)
    method <- "exact, likelihood-ratio ordered"
  } else if (size == n && min(p, q) == 0 && max(p, q) == 1) {
    bounds <- rep((successes / n - q) / (p - q), 2)
    method <- "known exactly, no interval"
  } else if (n > 500) {
    bounds <- adjusted_bounds(successes, n, p, q, size)
    method <- "likelihood-ratio ordered, level adjusted to a finite population"
  } else {
    bounds <- finite_bounds(successes, n, p, q, size)
    method <- "exact for a finite population, likelihood-ratio ordered"
  }
  list(low = bounds[1], high = bounds[2], method = method)
}

# ---- Finite populations ----

# The variance of a mean score about `size` people: ((size - 1) variance - spread) / size
finite_variance <- function(variance, spread, size, least = 0) {
  if (is.infinite(size) || is.na(variance)) return(variance)
  finite <- min(variance, max(least, ((size - 1) * variance - spread) / size))
  if (finite > 1e-12 * variance) finite else 0
}

# The level that multiplies the normal quantile by the ratio of two standard errors
finite_level <- function(ratio, at_level = level)
  if (ratio >= 1) at_level else 2 * pnorm(ratio * qnorm((1 + at_level) / 2)) - 1

# The distribution of a sum of two independent counts
convolved <- function(one, other) {
  if (length(one) > length(other)) return(convolved(other, one))
  found <- rep(0, length(one) + length(other) - 1); places <- seq_along(other) - 1
  for (j in seq_along(one)) found[places + j] <- found[places + j] + one[j] * other
  found
}

# For numbers of people with the answer, the chances of each outcome. If K of the n people who report
# have the answer, the outcome is Bin(K, p) + Bin(n - K, q)
finite_chances <- function(have, by_sample, size) {
  n <- ncol(by_sample) - 1
  if (size == n) return(by_sample[have + 1, , drop = FALSE])
  t(sapply(have, function(each) dhyper(0:n, each, size - each, n))) %*% by_sample
}

# The chances for numbers from 0 to the size, and the largest of each outcome. All answers of a
# question use the same, so the last ones are kept
chances_on_grid <- local({
  last <- NULL
  function(n, p, q, size) {
    if (identical(last$of, c(n, p, q, size))) return(last)
    by_sample <- t(sapply(0:n, function(k)
      convolved(dbinom(0:k, k, p), dbinom(0:(n - k), n - k, q))))
    grid <- unique(round(seq(0, size, length.out = min(size, 2000) + 1)))
    on_grid <- finite_chances(grid, by_sample, size)
    last <<- list(of = c(n, p, q, size), by_sample = by_sample, grid = grid, on_grid = on_grid,
                  best = pmax(apply(on_grid, 2, max), 1e-300))
  }
})

# The test orders the outcomes by their likelihood ratio against the best number of people
finite_bounds <- function(y, n, p, q, size) {
  chances <- chances_on_grid(n, p, q, size)
  grid <- chances$grid; best <- chances$best
  accepted <- function(rows) {
    ratios <- sweep(rows, 2, best, "/")
    rowSums((ratios > ratios[, y + 1] * (1 + 1e-9)) * rows) < level
  }
  places <- which(accepted(chances$on_grid))
  sapply(list(c(min(places), -1), c(max(places), 1)), function(end) {
    inside <- grid[end[1]]; beyond <- sum(end)
    outside <- if (beyond >= 1 && beyond <= length(grid)) grid[beyond] else inside
    while (abs(outside - inside) > 1) {
      middle <- (inside + outside) %/% 2
      if (accepted(finite_chances(middle, chances$by_sample, size))) inside <- middle
      else outside <- middle
    }
    inside / size
  })
}

# Each end at the level that fits it, moved outwards to the next possible share
adjusted_bounds <- function(y, n, p, q, size) {
  ends <- sapply(1:2, function(place) {
    share <- min(1, max(0, (y / n - q) / (p - q)))
    for (step in 1:4) {
      chance <- q + (p - q) * share
      whole <- chance * (1 - chance); sampling <- (p - q)^2 * share * (1 - share)
      ratio <- if (whole > 0) sqrt(max(0, 1 - (n - 1) / (size - 1) * sampling / whole))
      else as.numeric(size > n)
      if (ratio == 0) break
      share <- unlimited_bounds(y, n, p, q, finite_level(ratio))[place]
    }
    share * size
  })
  c(floor(ends[1] + 1e-9), ceiling(ends[2] - 1e-9)) / size
}

# Pr(sum of G_y scores[y] > 0), G_y ~ Gamma(counts[y]): Lugannani & Rice (1980)
chance_positive <- function(counts, scores) {
  there <- counts > 0 & scores != 0
  weights <- counts[there]; values <- scores[there]
  if (!length(values) || max(values) <= 0) return(0)
  if (min(values) >= 0) return(1)
  values <- values / max(abs(values))
  middle <- sum(weights * values)
  slope <- function(theta) sum(weights * (values / (1 - theta * values)))
  low <- 1 / min(values) * (1 - 1e-12); high <- 1 / max(values) * (1 - 1e-12)
  theta <- if (middle > 0) root(slope, low, 0) else if (middle < 0) root(slope, 0, high) else 0
  factors <- 1 - theta * values
  curvature <- sum(weights * (values / factors)^2)
  depth <- 2 * sum(weights * log(factors))
  if (depth < 1e-7) return(0.5 + 2 * sum(weights * values^3) / (6 * sqrt(2 * pi) * curvature^1.5))
  w <- sign(theta) * sqrt(depth); u <- theta * sqrt(curvature)
  min(1, max(0, pnorm(-w) + dnorm(w) * (1 / u - 1 / w)))
}

# The same with one more report that has the most extreme score
pushed <- function(counts, scores, upwards) {
  most <- if (upwards) which.max(scores) else which.min(scores)
  counts[most] <- counts[most] + 1
  chance_positive(counts, scores)
}

# Gaffke's (2005) bounds for a mean of scores, over the mean of `among`. `finite` is the standard
# error relative to that for an unlimited population
mean_interval <- function(counts, scores, among, low, high, at_level = level, finite = 1) {
  if (finite <= 0) {
    value <- min(max(sum(counts * scores) / sum(counts * among), low), high)
    return(list(low = value, high = value, method = "known exactly, no interval"))
  }
  miss <- (1 - finite_level(finite, at_level)) / 2
  excess <- function(value, upwards)
    pushed(counts, scores - value * among, upwards) - (if (upwards) miss else 1 - miss)
  value <- sum(counts * scores) / max(sum(counts * among), 1e-12)
  moved <- min(max(value, low), high) - value
  lowest <- min(low, value) - (high - low); highest <- max(high, value) + (high - low)
  ends <- sapply(c(FALSE, TRUE), function(upwards) {
    if (excess(lowest, upwards) <= 0) lowest
    else if (excess(highest, upwards) >= 0) highest
    else root(excess, lowest, highest, upwards = upwards)
  })
  bottom <- min(ends) + min(moved, 0); top <- max(ends) + max(moved, 0)
  more <- if (finite < 1) ", level adjusted to a finite population" else ""
  list(low = min(max(bottom, low), high), high = max(min(top, high), low),
       method = paste0("Gaffke, Dirichlet-weighted scores", more))
}

# ---- Shares ----

figure <- function(measure, answer, n, value, variance, interval, observed = NA, possible = NA,
                   variance_at_observed = NA, variance_bound = NA)
  data.frame(measure, answer, n, observed, estimate = value, standard_error = sqrt(variance),
             low = interval$low, high = interval$high, possible, variance_at_observed,
             variance_bound, asked_estimate = NA, asked_standard_error = NA, asked_low = NA,
             asked_high = NA, method = interval$method)

# ---- Shares among those asked ----

# The figures with the share of row `j` among those asked
add_asked <- function(found, j, value, variance, interval) {
  found$asked_estimate[j] <- value
  found$asked_standard_error[j] <- if (is.na(variance)) NA else sqrt(max(0, variance))
  found$asked_low[j] <- interval$low; found$asked_high[j] <- interval$high
  found
}

# For non-private answers: the shares of the respondents who were asked. The number of people in a
# finite population who would be asked is estimated
add_asked_plain <- function(found, size = Inf) {
  last <- nrow(found)
  n <- found$n[last] - round(found$observed[last] * found$n[last])
  asked <- if (is.finite(size)) max(n, round(size * n / found$n[last])) else Inf
  if (n > 0) for (j in seq_len(last - 1)) {
    hits <- round(found$observed[j] * found$n[j])
    variance <- if (n > 1) hits / n * (1 - hits / n) / (n - 1) else NA
    variance <- finite_variance(variance, hits / n * (1 - hits / n), asked)
    found <- add_asked(found, j, hits / n, variance, share_interval(hits, n, 1, 0, asked))
  }
  found
}

# For a table: the ratio of the mean score of the answer and that of being asked
add_asked_of_table <- function(found, scores, counts, size = Inf) {
  last <- nrow(found); among <- 1 - scores[, last]
  if (sum(counts) < 2 || sum(counts * among) / sum(counts) <= 1e-9) return(found)
  for (j in seq_len(last - 1)) {
    share <- ratio(counts, scores[, j], among)
    finite <- 1; variance <- share$variance
    if (is.finite(size)) {
      n <- sum(counts); below <- 1 - found$estimate[last]; seen <- counts / n
      both <- sum(seen * scores[, j] * scores[, last]) -
        sum(seen * scores[, j]) * sum(seen * scores[, last])
      product <- found$estimate[j] * found$estimate[last]
      both <- ((size - 1) * both / (n - 1) + product) / size
      unlimited <- variance * below^2
      variance <- max(0, found$standard_error[j]^2 + 2 * share$value * both +
                        share$value^2 * found$standard_error[last]^2)
      finite <- if (unlimited > 1e-15) sqrt(min(1, variance / unlimited)) else 1
      variance <- variance / below^2
    }
    interval <- mean_interval(counts, scores[, j], among, 0, 1, finite = finite)
    found <- add_asked(found, j, share$value, variance, interval)
  }
  found
}

# For reports of bits: Fieller's interval of the ratio of two estimates
add_asked_of_bits <- function(found, covariances) {
  last <- nrow(found); below <- 1 - found$estimate[last]
  if (anyNA(found$standard_error) || below <= 1e-9) return(found)
  inside <- pmin(pmax(found$estimate, found$low), found$high)
  reach <- pmax(found$high - inside, inside - found$low)
  for (j in seq_len(last - 1)) {
    errors <- found$standard_error[c(j, last)]
    times <- qt((1 + level) / 2, min(found$n[c(j, last)]) - 1)
    widened <- pmax(errors, reach[c(j, last)] / times)
    variance <- function(share, both)
      max(0, both[1]^2 + share^2 * both[2]^2 + 2 * share * covariances[j]) / below^2
    value <- found$estimate[j] / below; start <- min(max(value, 0), 1)
    beyond <- function(share) abs(share - start) - times * sqrt(variance(share, widened))
    ends <- sapply(c(0, 1), function(end) if (beyond(end) <= 0) end else root(beyond, start, end))
    found <- add_asked(found, j, value, variance(value, errors), list(low = ends[1], high = ends[2]))
  }
  found
}

# Nobody ticks a box of a question that they were not asked; this gives the covariance
add_asked_of_boxes <- function(question, found, reports) {
  if (question$plain) return(add_asked_plain(found, people))
  if (anyNA(found$standard_error)) return(found)
  k <- length(question$answers); s <- question$sample; last <- nrow(found)
  both <- reports %/% s * s * (s - 1) / (k * (k - 1))
  inside <- pmin(pmax(found$estimate, 0), 1)
  products <- inside[-last] * inside[last]
  covariances <- -products * both / (found$n[-last] * found$n[last])
  if (is.finite(people)) covariances <- ((people - 1) * covariances + products) / people
  add_asked_of_bits(found, covariances)
}

# The share of each answer, or of each group of answers in a column of `target`
share_figures <- function(rows, counts, target, names, plain, conditional = NULL, size = Inf) {
  scores <- unbiased_scores(rows, target)
  if (is.null(scores)) return(NULL) # these reports identify only the mean
  n <- sum(counts)
  likely <- as.vector(most_likely_shares(rows, counts) %*% target)
  found <- do.call(rbind, lapply(seq_along(names), function(column) {
    worth <- scores[, column]
    support <- support_of(rows, worth, target[, column] > 0)
    observed <- bound <- at_observed <- NA
    value <- sum(counts * worth) / n; unlimited <- variance_of_mean(worth, counts)
    noise <- as.vector((rows / sum(rows[1, ])) %*% worth^2) - target[, column]^2
    variance <- finite_variance(unlimited, value * (1 - value), size, min(noise) / n)
    if (is.null(support)) {
      finite <- if (!is.na(unlimited) && unlimited > 0) sqrt(variance / unlimited) else 1
      interval <- mean_interval(counts, worth, rep(1, length(worth)), 0, 1, finite = finite)
    } else {
      hits <- sum(counts[support$speaks])
      interval <- share_interval(hits, n, support$p, support$q, size)
      observed <- hits / n
      if (!plain && all(dim(rows) == 2) && rows[1, 1] == rows[2, 2]) {
        gamma <- rows[1, 1] / sum(rows[1, ]) - 0.5
        bound <- 1 / (16 * gamma^2 * n)
        at_observed <- observed * (1 - observed) / (4 * gamma^2 * n)
      }
    }
    figure("share", names[column], n, value, variance, interval, observed, likely[column],
           at_observed, bound)
  }))
  if (is.null(conditional)) found
  else if (plain) add_asked_plain(found, size)
  else add_asked_of_table(found, scores, counts, size)
}

# The probability that a bit is set: p if it belongs to the answer, q if not. Also the probability
# that two bits are both set: own if one belongs to the answer, other if neither does
chances_of_bits <- function(question) {
  k <- length(question$answers)
  if (question$kind == "unary") {
    p <- question$rows[1, 1] / sum(question$rows[1, ])
    q <- question$rows[2, 1] / sum(question$rows[2, ])
    return(list(p = p, q = q, own = p * q, other = q * q))
  }
  d <- question$size; near <- question$near; far <- question$far
  total <- d * near + (k - d) * far
  p <- d * near / total; q <- d * (total - near) / (total * (k - 1))
  both <- p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)
  list(p = p, q = q, own = p * (d - 1) / (k - 1),
       other = if (k > 2) both / ((k - 1) * (k - 2)) else 0)
}

# The share of each answer, from reports with a bit for each answer
bit_figures <- function(question, ones, n) {
  chances <- chances_of_bits(question)
  p <- chances$p; q <- chances$q
  seen <- ones / n
  values <- (seen - q) / (p - q)
  possible <- nearest_shares(values)
  found <- lapply(seq_along(values), function(j) {
    variance <- if (n > 1) max(0, (seen[j] - seen[j]^2) / (n - 1) / (p - q)^2) else NA
    least <- min(p * (1 - p), q * (1 - q)) / (p - q)^2 / n
    variance <- finite_variance(variance, values[j] * (1 - values[j]), people, least)
    figure("share", question$answers[j], n, values[j], variance,
           share_interval(ones[j], n, p, q, people), seen[j], possible[j])
  })
  found <- do.call(rbind, found)
  if (!is.null(question$conditional) && n > 1) {
    last <- length(values); pairs <- values[-last] + values[last]
    both <- pairs * chances$own + (1 - pairs) * chances$other
    covariances <- (both - seen[-last] * seen[last]) / (n - 1) / (p - q)^2
    if (is.finite(people))
      covariances <- ((people - 1) * covariances + values[-last] * values[last]) / people
    found <- add_asked_of_bits(found, covariances)
  }
  rbind(found, means_of_answers(question, function(levels, measure, answer)
    mean_of_bits(levels, measure, answer, values, n, chances)))
}

# ---- Means, deviations, quantiles ----

# The mean of a scale 1, 2, ..., or of each item's rank, and each share ranked first. `mean_of`
# computes one of them from the numbers of the answers, its measure and its item.
means_of_answers <- function(question, mean_of) {
  if (!is.null(question$levels)) return(mean_of(1:question$levels, "mean", ""))
  found <- NULL
  for (place in seq_along(question$items)) {
    ranks <- question$ranks[place, ]; item <- question$items[place]
    one <- rbind(mean_of(ranks, "mean_rank", item), mean_of((ranks == 1) + 0, "ranked_first", item))
    if (is.null(one) || nrow(one) < 2) return(NULL)
    found <- rbind(found, one)
  }
  found
}

# The mean of the numbers `levels` of the first answers, from unbiased shares of all
mean_of_bits <- function(levels, measure, answer, values, n, chances) {
  k <- length(levels)
  first <- seq_along(values) <= k
  given <- 1 - sum(values[!first])
  if (given <= 0) return(NULL)
  p <- chances$p; q <- chances$q
  middle <- mean(levels); bottom <- min(levels); top <- max(levels)
  value <- middle + sum((levels - middle) * values[first]) / given
  sampled <- if (is.finite(people)) (people - n) / max(1, people - 1) else 1
  variance <- function(mean, more) {
    weights <- c(levels - middle, rep(mean - middle, sum(!first)))
    rest <- sum(weights) - weights; squares <- sum(weights^2) - weights^2
    noise <- weights^2 * p * (1 - p) + squares * q * (1 - q) +
      2 * weights * rest * (chances$own - p * q) + (rest^2 - squares) * (chances$other - q * q)
    noise <- noise / (p - q)^2
    second <- noise + sampled * weights^2
    half <- (max(second) + min(second)) / 2
    seen <- min(max(half + sum(values * (second - half)), min(second)), max(second))
    mixed <- (n * seen + more * max(second)) / (n + more)
    max(mixed - sampled * (mean - middle)^2, min(noise)) / given^2
  }
  more <- if (is.finite(people)) ", for a finite population" else ""
  interval <- list(low = bottom, high = top, method = paste0("Student, error at each mean", more))
  if (n == 1) return(figure(measure, answer, n, value, NA, interval))
  times <- qt((1 + level) / 2, n - 1); start <- min(max(value, bottom), top)
  beyond <- function(mean) abs(mean - start) - times * sqrt(variance(mean, times^2) / n)
  for (end in c("low", "high"))
    if (beyond(interval[[end]]) > 0) interval[[end]] <- root(beyond, start, interval[[end]])
  figure(measure, answer, n, value, variance(value, 0) / (n - 1), interval)
}

# The ratio of two mean scores, and its variance
ratio <- function(counts, scores, among) {
  n <- sum(counts)
  below <- sum(counts * among) / n
  value <- sum(counts * scores) / n / below
  list(value = value, variance = variance_of_mean(scores - value * among, counts) / below^2)
}

# Mean, deviation and quartiles of those who gave a number. `values` are the numbers of the first
# answers, and `outside` is the number of other answers. `rows` is NULL for non-private answers.
# `width` is the distance of the values if answers between them were rounded at random. `step` is
# the distance of the answers. `highest` is the largest answer if the mechanism is optimal_quantiles,
# or else NULL.
quantity_figures <- function(counts, values, outside, rows = NULL, step = 0, width = 0,
                             wanted = "mean", measure = "mean", answer = "", highest = NULL) {
  k <- length(values); n <- sum(counts); plain <- is.null(rows)
  score <- function(of_value) {
    target <- c(of_value, rep(0, outside))
    if (plain) return(target)
    scores <- unbiased_scores(rows, cbind(target))
    if (is.null(scores)) NULL else scores[, 1]
  }
  among <- score(rep(1, k)); scores <- score(values)
  if (is.null(among) || is.null(scores) || sum(counts * among) <= 0) return(NULL)
  bottom <- min(values); top <- max(values)
  known <- plain && people == n
  # the standard error relative to that for an unlimited population
  error_ratio <- function(of_value) {
    if (is.infinite(people)) return(1)
    worth <- score(of_value); own <- score(of_value^2)
    unlimited <- variance_of_mean(worth, counts)
    if (is.na(unlimited) || unlimited == 0) return(if (known) 0 else 1)
    if (is.null(own)) return(1)
    spread <- sum(counts * own) / n - (sum(counts * worth) / n)^2
    if (width > 0) spread <- max(0, spread - (max(abs(diff(of_value))) / 2)^2)
    least <- if (plain) 0 else
      min((rows / sum(rows[1, ])) %*% worth^2 - c(of_value, rep(0, outside))^2) / n
    sqrt(finite_variance(unlimited, spread, people, least) / unlimited)
  }
  finite_ratio <- function(of_value) {
    found <- ratio(counts, score(of_value), among)
    finite <- error_ratio(of_value - found$value)
    list(value = found$value, variance = found$variance * finite^2, finite = finite)
  }
  centre <- finite_ratio(values)
  found <- figure(measure, answer, n, centre$value, centre$variance,
                  mean_interval(counts, scores, among, bottom, top, finite = centre$finite))
  square <- score((values - centre$value)^2)
  if ("deviation" %in% wanted && !is.null(square)) {
    spread <- finite_ratio((values - centre$value)^2)
    usual <- most <- 0
    if (width > 0) {
      steps <- round(width / step)
      usual <- (width^2 - step^2) / 6
      most <- steps %/% 2 * (steps - steps %/% 2) * step^2
    }
    square <- max(0, spread$value + (if (is.na(centre$variance)) 0 else centre$variance) - usual)
    where <- mean_interval(counts, scores, among, bottom, top, (1 + level) / 2, centre$finite)
    middle <- min(max(centre$value, where$low), where$high)
    points <- c(where$low, (where$low + middle) / 2, middle, (middle + where$high) / 2, where$high)
    bounds <- lapply(points, function(point) {
      own <- score((values - point)^2)
      finite <- if (known) 1 else finite_ratio((values - point)^2)$finite
      largest <- (top - bottom)^2 / 4
      # of non-private answers, one at this point was possible, although nobody gave it
      if (plain) mean_interval(c(counts, 0), c(own, 0), c(among, 1), 0, largest, finite = finite)
      else mean_interval(counts, own, among, 0, largest, finite = finite)
    })
    lows <- sapply(bounds, function(bound) bound$low)
    highs <- sapply(bounds, function(bound) bound$high)
    interval <- list(low = sqrt(max(0, min(lows) - most)), high = sqrt(max(highs)),
                     method = bounds[[1]]$method)
    estimated <- !is.na(spread$variance) && spread$variance > 0 && square > 0
    variance <- if (estimated) spread$variance / (4 * square) else NA
    if (known) {
      interval$low <- interval$high <- sqrt(square)
      interval$method <- "known exactly, no interval"
      variance <- 0
    }
    found <- rbind(found, figure("deviation", "", n, sqrt(square), variance, interval))
  }
  if ("quantiles" %in% wanted) {
    likely <- (if (plain) counts / n else most_likely_shares(rows, counts))[1:k]
    below <- cumsum(likely / max(sum(likely), 1e-12))
    upto <- if (!plain) {
      reach <- outer(1:k, 1:k, "<=") + 0
      unbiased_scores(rows, rbind(reach, matrix(0, outside, k)))
    }
    for (share in c(0.25, 0.5, 0.75)) {
      if (!is.null(highest) && n >= 20) {
        ends <- quantile_of_curve(counts, values, among, upto, share, step, width)
        found <- rbind(found, quartile(share, n, ends, highest,
                                       "inverted score tests of the cumulative share"))
        next
      }
      ratios <- if (is.infinite(people)) rep(1, k)
      else if (plain) rep(sqrt((people - n) / max(1, people - 1)), k)
      else sapply(1:k, function(place) error_ratio((1:k <= place) - share))
      misses <- (1 - sapply(ratios, finite_level)) / 2
      places <- quantile_bounds(counts, among, upto, share, k, misses)
      value <- crossing(values, below, share, width)
      more <- max(0, width - step)
      ends <- c(value, max(bottom, values[places[1]] - more), min(top, values[places[2]] + more))
      found <- rbind(found, if (known) quartile(share, n, rep(value, 3), highest,
                                                "known exactly, no interval")
                            else quartile(share, n, ends, highest,
                                          "inverted bounds of the distribution"))
    }
  }
  found
}

# The figure of a quartile: the value and both ends of the interval. The last level can be above the
# largest answer.
quartile <- function(share, n, ends, highest, method) {
  if (!is.null(highest)) ends <- pmin(ends, highest)
  interval <- list(low = ends[2], high = ends[3], method = method)
  figure(paste0("quantile_", 100 * share), "", n, ends[1], NA, interval)
}

# The value where the estimated distribution function reaches the share, and its interval. For each
# value, the scores of the function minus the share have the mean zero if the value is the quantile.
# The interval has the values whose mean is within z of its standard errors, after remove_falls.
quantile_of_curve <- function(counts, values, among, upto, share, step, width) {
  n <- sum(counts); k <- length(values)
  shape <- distribution_curve(values, width); places <- shape$places
  excess <- upto %*% t(shape$weights) - share * among
  means <- colSums(counts * excess) / n
  signals <- means / pmax(sqrt(colSums(counts * excess^2)) / n, 1e-300)
  reach <- remove_falls(signals, 0.3); before <- remove_falls(signals, 0.7)
  z <- qnorm((1 + level) / 2)
  rising <- remove_falls(means)
  if (width > 0) {
    value <- first_reached(places, rising)
    low <- min(value, first_reached(places, reach + z))
    high <- max(value, -first_reached(-rev(places), z - rev(before)))
    # the shape between two levels is not known exactly
    ends <- c(value, value - sqrt((value - low)^2 + (0.1 * width)^2),
              value + sqrt((high - value)^2 + (0.1 * width)^2))
    nearest <- values[1] + step * ceiling((ends - values[1]) / step - 0.5 - 1e-9)
    ends <- pmin(pmax(nearest, values[1]), values[k])
  } else {
    under <- which(before < z)
    value <- places[min(which(rising >= -1e-12), k)]
    ends <- c(value, min(value, places[min(which(reach >= -z), k)]),
              max(value, if (length(under)) places[min(max(under) + 1, k)] else places[1]))
  }
  ends
}

# Ten places between any two levels, and the weights of the cumulative shares at each. The curve is a
# parabola between two levels, with the cumulative share as its mean.
distribution_curve <- function(values, width) {
  k <- length(values); shares <- diag(k); last <- k - 1
  if (width == 0) return(list(places = values, weights = shares))
  nodes <- matrix(0, k, k)
  if (last == 1) nodes[2, ] <- shares[2, ]
  else {
    nodes[1, ] <- (3 * shares[1, ] - shares[2, ]) / 2
    nodes[k, ] <- (3 * shares[last, ] - shares[last - 1, ]) / 2
  }
  for (j in seq_len(last - 1)) { # the inner level after j cells
    before <- shares[j, ]; after <- shares[j + 1, ]
    nodes[j + 1, ] <- if (last == 2) (before + after) / 2
    else if (j == 1) (2 * before + 5 * after - shares[3, ]) / 6
    else if (j == last - 1) (2 * after + 5 * before - shares[j - 1, ]) / 6
    else (7 * (before + after) - shares[j - 1, ] - shares[j + 2, ]) / 12
  }
  rows <- lapply(seq_len(last), function(j) t(sapply((0:9) / 10, function(x)
    (1 - 4 * x + 3 * x^2) * nodes[j, ] + (3 * x^2 - 2 * x) * nodes[j + 1, ] +
      6 * (x - x^2) * shares[j, ])))
  list(places = values[1] + width * (0:(10 * last)) / 10,
       weights = rbind(do.call(rbind, rows), nodes[k, ]))
}

# Heights that never fall: part of the largest so far, the rest of the smallest from here on
remove_falls <- function(heights, part = 0.5)
  part * cummax(heights) + (1 - part) * rev(cummin(rev(heights)))

# The first place at which the heights reach zero, with linear interpolation
first_reached <- function(places, heights) {
  reached <- which(heights >= 0)
  if (length(reached) == 0) return(places[length(places)])
  j <- reached[1]
  if (j == 1) return(places[1])
  part <- heights[j - 1] / (heights[j - 1] - heights[j])
  places[j - 1] + part * (places[j] - places[j - 1])
}

# The places of the smallest and the largest value that the quantile can have
quantile_bounds <- function(counts, among, upto, share, k, misses) {
  if (is.null(upto)) {
    below <- cumsum(counts[1:k]); above <- below[k] - below
    reached <- above == 0 | pbeta(share, below + 1, above) <= 1 - misses
    unreached <- below == 0 | pbeta(share, below, above + 1) > misses
  } else {
    pushes <- function(upwards)
      sapply(1:k, function(j) pushed(counts, upto[, j] - share * among, upwards))
    reached <- pushes(TRUE) > misses
    unreached <- pushes(FALSE) < 1 - misses
  }
  c(if (any(reached)) which(reached)[1] else k,
    if (any(unreached)) min(max(which(unreached)) + 1, k) else 1)
}

# The value where the distribution reaches the share, interpolated between rounded values
crossing <- function(values, below, share, width) {
  k <- length(values)
  place <- min(which(below >= share - 1e-12), k)
  if (width == 0) return(values[place])
  before <- if (place > 1) below[place - 1] else 0
  part <- (share - before) / max(below[place] - before, 1e-12)
  min(max(values[place] + width * (min(part, 1) - 0.5), values[1]), values[k])
}

# ---- Questions ----

# Every figure of one question
estimates_of <- function(question, responses) {
  cells <- responses[question$columns]
  if (question$kind == "boxes") {
    found <- lapply(seq_along(question$answers), function(j) {
      pair <- c(sum(cells[[j]] == "1"), sum(cells[[j]] == "0"))
      if (sum(pair) == 0) return(NULL) # nobody has reported on this box yet
      names <- c(question$answers[j], "")
      share_figures(question$rows, pair, diag(2), names, question$plain, size = people)[1, ]
    })
    silent <- sapply(found, is.null)
    found <- do.call(rbind, found)
    if (is.null(question$conditional) || silent[length(silent)]) return(found)
    return(add_asked_of_boxes(question, found, sum(unlist(cells) != "")))
  }
  if (question$kind %in% c("unary", "subset")) {
    n <- sum(cells[[1]] != "")
    if (n == 0) return(NULL)
    return(bit_figures(question, sapply(cells, function(cell) sum(cell == "1")), n))
  }
  reports <- do.call(paste0, unname(cells))
  reports <- reports[reports != ""] # empty: the question was not drawn for this respondent
  if (length(reports) == 0) return(NULL)
  if (question$kind == "number") return(estimates_of_number(question, reports))
  if (!is.null(question$joint_parts))
    reports <- question$joint_parts[match(reports, question$joint_reports)]
  counts <- tabulate(match(reports, question$reports), length(question$reports))
  rows <- if (question$plain) diag(length(counts)) else question$rows
  target <- diag(nrow(rows))
  if (question$kind == "combinations")
    target <- t(sapply(strsplit(question$reports, ""), as.numeric))
  found <- share_figures(rows, counts, target, question$answers, question$plain,
                         question$conditional, people)
  mean_of <- function(values, measure, answer)
    quantity_figures(counts, values, length(question$answers) - length(values),
                     if (!question$plain) rows, measure = measure, answer = answer)
  rbind(found, means_of_answers(question, mean_of))
}

estimates_of_number <- function(question, reports) {
  points <- question$points; extras <- question$extras; size <- question$part_size
  names <- c(question$parts, extras)
  part <- (seq_len(points) - 1) %/% size + 1
  everything <- c("mean", "deviation", "quantiles")
  if (question$plain) {
    others <- tabulate(match(reports, extras), length(extras))
    given <- as.numeric(reports[!reports %in% extras])
    given <- round((given - question$low) / question$step) + 1
    places <- sort(unique(c(given, 1, points)))
    counts <- c(tabulate(match(given, places), length(places)), others)
    in_parts <- c(tabulate(part[given], length(question$parts)), others)
    values <- question$low + question$step * (places - 1)
    ones <- diag(length(names))
    found <- share_figures(ones, in_parts, ones, names, TRUE, question$conditional, people)
    return(rbind(found, quantity_figures(counts, values, length(extras), wanted = everything)))
  }
  counts <- tabulate(match(reports, question$reports), length(question$reports))
  group <- c(part, length(question$parts) + seq_along(extras))
  target <- outer(group, seq_along(names), "==") + 0
  values <- question$low + question$step * (seq_len(points) - 1)
  width <- if (question$step != question$answer_step) question$step else 0
  # random rounding makes the part of an answer random
  limit <- if (width > 0) Inf else people
  found <- share_figures(question$rows, counts, target, names, FALSE, question$conditional, limit)
  wanted <- if (is.null(found)) c("mean", "deviation") else everything
  rbind(found, quantity_figures(counts, values, length(extras), question$rows,
                                question$answer_step, width, wanted,
                                highest = question$highest_for_quantiles))
}

# ---- Files ----

read_cells <- function(file)
  read.csv(file, colClasses = "character", check.names = FALSE, na.strings = character(0),
           encoding = "UTF-8")

# The largest difference from the file of estimates, relative to the largest figure of the same
# question and measure if that is above one
compare <- function(own, published) {
  key <- function(rows) paste(rows$question, rows$measure, rows$answer, sep = ", ")
  alone <- c(setdiff(key(own), key(published)), setdiff(key(published), key(own)))
  if (length(alone)) return(list(largest = Inf, where = paste(alone[1], "is in one file only")))
  own <- own[match(key(published), key(own)), ]
  published[figures] <- lapply(published[figures], function(x) suppressWarnings(as.numeric(x)))
  sizes <- apply(abs(published[figures[-1]]), 1, max, 1, na.rm = TRUE)
  sizes <- ave(sizes, paste(published$question, published$measure), FUN = max)
  difference <- sapply(figures, function(name) {
    theirs <- published[[name]]; ours <- own[[name]]
    apart <- abs(ours - theirs) / (if (name == "n") 1 else sizes)
    ifelse(is.na(ours) & is.na(theirs), -1, ifelse(is.na(apart), Inf, apart))
  })
  difference <- matrix(difference, ncol = length(figures))
  place <- arrayInd(which.max(difference), dim(difference))
  list(largest = max(difference), compared = sum(difference >= 0),
       where = paste0(key(published)[place[1]], ": ", figures[place[2]]))
}

main <- function() {
  # Rscript passes the path of this file; the other files are in the same folder
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(script) == 1) setwd(dirname(gsub("~+~", " ", script, fixed = TRUE)))
  responses <- read_cells(responses_file)
  # more responses than people: the size cannot be right
  if (results_about == "respondents") people <<- nrow(responses)
  else if (is.numeric(results_about) && nrow(responses) <= results_about) people <<- results_about
  own <- do.call(rbind, lapply(questions, function(question) {
    found <- estimates_of(question, responses)
    if (is.null(found)) NULL else cbind(question = question$name, found)
  }))
  published <- read_cells(estimates_file)
  # Questions without estimates, such as texts, have no measure.
  published <- published[published$measure != "", ]
  if (is.null(own)) {
    cat("There are no responses yet.\n")
    return(if (nrow(published)) 1 else 0)
  }
  exact <- own # 17 digits keep the exact numbers
  exact[figures] <- lapply(own[figures], function(x) ifelse(is.na(x), "", sprintf("%.17g", x)))
  write.csv(exact, written_file, row.names = FALSE, quote = c(1, 2, 3, ncol(exact)))
  found <- compare(own, published)
  cat(nrow(own), " estimates written to ", written_file, ".\n", sep = "")
  cat(found$compared, " figures compared with ", estimates_file, ".\n", sep = "")
  cat("Largest difference: ", format(found$largest, digits = 3), " (", found$where, ")\n", sep = "")
  if (found$largest <= 1e-9) 0 else 1
}

# ---- The survey ----

# <survey>

status <- main()
if (!interactive()) quit(status = status)
