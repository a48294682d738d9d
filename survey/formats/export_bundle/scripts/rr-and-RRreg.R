# Estimates the private questions with two answers with the R packages RRreg (Heck & Moshagen 2018)
# and rr (Blair, Imai & Zhou 2015), in the conventions of these packages, and prints the results
# next to Candor's. Run the script in the folder of the files with "Rscript rr-and-RRreg.R", or with
# source("rr-and-RRreg.R") if that folder is the working directory. The script skips a package that
# is not installed. In any case, base R checks the inputs of the packages: it computes
# Pr(report | answer) from the formulas in their manuals, estimates the share from it, and compares.
# The functions come first, then the survey.
#
# Conventions that differ:
#
# * Standard errors divide by n - 1 in RRreg and in Candor, and by n in rr. The script prints those
#   of rr multiplied by sqrt(n / (n - 1)).
# * Candor keeps an estimate below 0 or above 1. So does RRreg with MLest = FALSE, which the script
#   uses. By default, RRreg searches between 0 and 1, and may return NA. In rr, the logit of such an
#   estimate would diverge, so the script does not call rr in this case.
# * rr fits a logistic regression. The script transforms its intercept into a share, and the
#   standard error of the intercept by the slope of this transformation.
#
# To add predictors in rr, replace the 1 in y ~ 1, and add their columns to the data frame there.

close_enough <- 1e-6
close_enough_for_rr <- 1e-2 # in standard errors: rr stops searching when it gains little

# ---- The tables behind the packages' inputs, according to their manuals ----

# Rows are the reports 0 and 1, columns the answers no and yes
chances <- function(yes_of_no, yes_of_yes)
  rbind(c(1 - yes_of_no, 1 - yes_of_yes), c(yes_of_no, yes_of_yes))

chances_in_rrreg <- function(model, p, Kukrep = 1) switch(model,
  Warner = , Crosswise = chances(1 - p, p),       # p: asked the question; yes to the harmless one
  FR = chances(p[2], 1 - p[1]),                   # forced no, forced yes
  UQTknown = chances((1 - p[1]) * p[2], p[1] + (1 - p[1]) * p[2]), # asked; yes to the harmless one
  Kuk = sapply(rev(p), function(red) dbinom(0:Kukrep, Kukrep, red)), # red in the pack of yes, of no
  Mangat = chances(1 - p, 1),                     # a no says no; a yes always says yes
  custom = p)                                     # row: report, column: answer; no first

chances_in_rr <- function(design, p, p0, p1, q) switch(design,
  mirrored = , disguised = chances(1 - p, p),     # p: asked the question; red for a yes
  "forced-known" = chances(p1, p1 + p),           # p: truth, p0: forced no, p1: forced yes
  "unrelated-known" = chances((1 - p) * q, p + (1 - p) * q)) # asked; yes to the harmless one

# ---- Fitting a table in base R ----

# The unbiased share of yes with its standard error, and the most likely share within 0 and 1
fitted_to <- function(table, counts) {
  n <- sum(counts); step <- table[, 2] - table[, 1]
  slope <- function(share) {
    here <- table[, 1] + share * step
    sum(ifelse(counts > 0, counts * step / here, 0))
  }
  likely <- if (slope(0) <= 0) 0 else if (slope(1) >= 0) 1 else
    uniroot(slope, 0:1, tol = 1e-14, maxiter = 1000)$root
  if (nrow(table) == 2) {
    seen <- counts[2] / n
    error <- sqrt(seen * (1 - seen) / (n - 1)) / abs(step[2])
    return(c((seen - table[2, 1]) / step[2], error, likely))
  }
  # Kuk's repeated draws: RRreg takes the mean number of red cards
  places <- seq_along(counts) - 1
  c((sum(counts * places) / n - sum(table[, 1] * places)) / sum(step * places), NA, likely)
}

# ---- The packages ----

by_rrreg <- function(y, arguments) {
  # of its warnings that one report never came
  found <- suppressWarnings(do.call(RRreg::RRuni, c(list(response = y, MLest = FALSE), arguments)))
  yes <- length(found$pi) # of "FR" and "custom" both shares come, no first
  c(found$pi[yes], found$piSE[yes])
}

# rr takes only steps that do not lower the likelihood, and fails if rounding makes one do so. Then
# try another start. NULL if it always fails.
by_rr <- function(y, arguments, share) {
  for (away in c(0.1, -0.1, 0.3, -0.3)) {
    start <- list(y ~ 1, data = data.frame(y = y), start = qlogis(share) + away,
                  maxIter = 1000)
    # its warnings say that the weights are not counts
    found <- tryCatch(suppressWarnings(do.call(rr::rrreg, c(start, arguments))),
                      error = function(e) NULL)
    if (is.null(found)) next
    share <- plogis(found$est)
    return(c(share, found$se * share * (1 - share) * sqrt(length(y) / (length(y) - 1))))
  }
  NULL
}

# ---- A question ----

line <- function(name, share, error = NA)
  cat(sprintf("  %-24s %14.10f", name, share),
      if (is.na(error)) "" else sprintf("   standard error %14.10f", error), "\n", sep = "")

called <- function(start, arguments) {
  written <- paste(deparse(arguments, 500), collapse = "")
  cat("  ", sub("^list[(]", paste0(start, ", "), written), "\n", sep = "")
}

# Prints a question, and returns the largest differences: of equal estimates, and of rr in standard
# errors
beside <- function(question, responses, published) {
  cells <- responses[[question$column]]
  y <- match(cells[cells != ""], question$reports) - 1 # empty: no report on this question
  counts <- tabulate(y + 1, length(question$reports)); n <- length(y)
  own <- published[published$question == question$name & published$measure == "share" &
                     published$answer == question$answer, ]
  cat("\n", question$name, ", share of ", question$answer, ": ", n, " responses\n", sep = "")
  if (n < 2) {
    cat("  Too few to compare.\n")
    return(c(0, 0))
  }
  ours <- suppressWarnings(as.numeric(unlist(own[c("estimate", "standard_error", "possible")])))
  for_rrreg <- Filter(Negate(is.null), question[c("in_rrreg", "as_custom")])
  coded <- deparse(question$reports, 500)
  cat("  y <- match(responses$", question$column, ", ", coded, ") - 1\n", sep = "")
  for (arguments in for_rrreg) called("RRreg::RRuni(y", arguments)
  for_rrreg <- lapply(for_rrreg, eval)
  for_rr <- eval(question[["in_rr"]])
  if (!is.null(for_rr))
    called(if (question$turned) "rr::rrreg(1 - y ~ 1" else "rr::rrreg(y ~ 1", question[["in_rr"]])
  line("Candor", ours[1], ours[2])

  # fit the table of each input, computed by the formulas
  tables <- lapply(for_rrreg, function(arguments) do.call(chances_in_rrreg, arguments))
  if (!is.null(for_rr)) {
    table <- do.call(chances_in_rr, for_rr)
    tables$rr <- if (question$turned) table[2:1, ] else table # it receives 1 - y
  }
  fits <- sapply(tables, fitted_to, counts = counts)
  line("base R, these inputs", fits[1, 1], fits[2, 1])
  line("base R, most likely", fits[3, 1])
  apart <- abs(fits[3, ] - ours[3])
  repeated <- length(counts) > 2
  if (repeated) {
    cards <- length(counts) - 1
    cat("  For ", cards, " cards RRreg uses the mean number of red ones, Candor the score of ",
        "least\n",
        "  variance. Both estimates are unbiased, and differ by chance. The most likely share\n",
        "  is the same. RRreg's custom matrix must be square; this table has ", cards + 1,
        " reports.\n", sep = "")
  } else apart <- c(apart, abs(fits[1:2, ] - ours[1:2]))

  in_errors <- 0
  if (has_rrreg) for (arguments in for_rrreg) {
    theirs <- by_rrreg(y, arguments)
    line(paste("RRreg", arguments$model), theirs[1], theirs[2])
    apart <- c(apart, if (repeated) abs(theirs[1] - fits[1, 1]) else abs(theirs - ours[1:2]))
  }
  if (has_rr && !is.null(for_rr)) {
    if (ours[1] > 1e-9 && ours[1] < 1 - 1e-9) {
      theirs <- by_rr(if (question$turned) 1 - y else y, for_rr, ours[1])
      if (is.null(theirs)) cat("  rr found no estimate.\n") else {
        line(paste("rr", for_rr$design), theirs[1], theirs[2])
        in_errors <- max(abs(theirs - ours[1:2])) / ours[2]
      }
    } else cat("  rr is not called: the estimate is not between 0 and 1.\n")
  }
  c(max(apart), in_errors)
}

# ---- Files ----

read_cells <- function(file)
  read.csv(file, colClasses = "character", check.names = FALSE, na.strings = character(0),
           encoding = "UTF-8")

has_rrreg <- requireNamespace("RRreg", quietly = TRUE)
has_rr <- requireNamespace("rr", quietly = TRUE)

main <- function() {
  # Rscript passes the path of this file; the other files are in the same folder
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(script) == 1) setwd(dirname(gsub("~+~", " ", script, fixed = TRUE)))
  responses <- read_cells(responses_file)
  published <- read_cells(estimates_file)
  absent <- c("RRreg", "rr")[!c(has_rrreg, has_rr)]
  if (length(absent))
    cat("Not installed here: ", paste(absent, collapse = ", "), ". Base R fits the inputs of ",
        if (length(absent) == 1) "it" else "them", ".\n", sep = "")
  for (name in setdiff(c("RRreg", "rr"), absent))
    cat(name, " ", as.character(packageVersion(name)), "\n", sep = "")
  found <- sapply(questions, beside, responses, published)
  cat("\nLargest difference: ", format(max(found[1, ]), digits = 3), "\n", sep = "")
  if (has_rr)
    cat("Of rr: ", format(max(found[2, ]), digits = 3), " standard errors\n", sep = "")
  if (max(found[1, ]) <= close_enough && max(found[2, ]) <= close_enough_for_rr) 0 else 1
}

# ---- The survey ----

# <survey>

status <- main()
if (!interactive()) quit(status = status)
