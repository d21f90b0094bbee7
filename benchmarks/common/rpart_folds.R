# rpart on the folds of a table: what it says of every row when it has not seen it, and the leaves of that tree.
arguments <- commandArgs(trailingOnly = TRUE)
kinds <- strsplit(arguments[3], "")[[1]]
is_class <- arguments[4] == "c"
pruned <- arguments[5] == "1se"
if (!requireNamespace("rpart", quietly = TRUE)) stop("R has no rpart")

rows <- read.csv(arguments[1], na.strings = "?", colClasses = "character", check.names = FALSE)
fold <- as.integer(rows$fold)
rows$fold <- NULL
for (j in seq_along(kinds)) rows[[j]] <- if (kinds[j] == "n") as.numeric(rows[[j]]) else factor(rows[[j]])
rows$y <- if (is_class) factor(rows$y) else as.numeric(rows$y)

said <- rep(NA, nrow(rows))
leaves <- rep(NA, nrow(rows))
for (k in unique(fold)) {
  set.seed(k)
  model <- rpart::rpart(y ~ ., rows[fold != k, ], method = if (is_class) "class" else "anova")
  if (pruned && nrow(model$cptable) > 1) {
    table <- model$cptable
    best <- which.min(table[, "xerror"])
    within <- which(table[, "xerror"] <= table[best, "xerror"] + table[best, "xstd"])[1]
    model <- rpart::prune(model, cp = table[within, "CP"])
  }
  judged <- fold == k
  answers <- predict(model, rows[judged, ], type = if (is_class) "class" else "vector")
  said[judged] <- if (is_class) as.character(answers) else answers
  leaves[judged] <- sum(model$frame$var == "<leaf>")
}
write.csv(data.frame(said, leaves), arguments[2], row.names = FALSE)
