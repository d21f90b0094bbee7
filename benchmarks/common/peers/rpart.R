# The worker for rpart: fits when it reads "run", writes the leaf of each row when it reads "describe" (see worker.py).
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
task <- arguments[2]
size <- as.integer(arguments[3:8])
names(size) <- c("rows", "columns", "classes", "depth", "queries", "times")
cp <- if (arguments[9] == "none") NULL else as.numeric(arguments[9])
folds <- as.integer(arguments[10])
nominal <- if (length(arguments) > 10) as.integer(strsplit(arguments[11], ",")[[1]]) else integer()

say <- function(...) {
  cat(sprintf(...), "\n", sep = "")
  flush(stdout())
}

if (!requireNamespace("rpart", quietly = TRUE)) {
  say('{"reason": "R has no rpart"}')
  quit()
}

# A frame of the numbers in a file; nominal columns as factors.
frame <- function(file, rows) {
  numbers <- readBin(file.path(folder, file), "double", rows * size["columns"])
  numbers[is.nan(numbers)] <- NA
  columns <- as.data.frame(matrix(numbers, nrow = rows))
  for (j in nominal) columns[[j]] <- factor(columns[[j]])
  columns
}

training <- frame("X.f64", size["rows"])
y <- readBin(file.path(folder, "y.f64"), "double", size["rows"])
training$y <- if (size["classes"] > 0) factor(y) else y
queries <- if (size["queries"] > 0) frame("queries.f64", size["queries"])

surrogates <- if (anyNA(training)) 5 else 0
control <- if (is.null(cp)) {
  rpart::rpart.control(
    minsplit = 2, minbucket = 1, cp = 0, maxcompete = 0, maxsurrogate = surrogates, xval = 0, maxdepth = size["depth"]
  )
} else {
  rpart::rpart.control(cp = cp, xval = if (folds > 0) (seq_len(size["rows"]) - 1) %% folds + 1 else 0)
}
method <- if (size["classes"] > 0) "class" else "anova"
fit <- function() {
  tree <- rpart::rpart(y ~ ., training, method = method, control = control)
  if (folds == 0) return(tree)
  rpart::prune(tree, cp = tree$cptable[which.min(tree$cptable[, "xerror"]), "CP"])
}

# Linux counts the peak of a process, and starts again when told so.
memory <- function(key) {
  lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  found <- grep(key, lines, value = TRUE)
  if (length(found)) as.numeric(gsub("[^0-9]", "", found[1])) * 1024 else NA
}
model <- if (task == "predict") fit()
invisible(gc())
baseline <- memory("^VmRSS")
try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
peak <- NULL

say('{"version": "%s"}', as.character(packageVersion("rpart")))
input <- file("stdin", "r")
while (length(word <- readLines(input, 1)) == 1) {
  if (word == "run") {
    invisible(gc())
    start <- proc.time()[["elapsed"]]
    for (i in seq_len(size["times"])) if (task == "predict") predict(model, queries) else model <- fit()
    seconds <- (proc.time()[["elapsed"]] - start) / size["times"]
    if (is.null(peak)) peak <- memory("^VmHWM") - baseline
    say('{"seconds": %.6f, "peak": %s}', seconds, if (is.na(peak)) "null" else sprintf("%.0f", peak))
  } else if (word == "describe") {
    if (is.null(model)) model <- fit()
    writeBin(as.integer(model$where), file.path(folder, "rpart.i32"))
    say('{"leaves": "rpart.i32"}')
  }
}
