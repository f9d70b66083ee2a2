/**
 * What the scheduler engine answers to reads: `documented` is what the documents say (`address` alone for the access
 * configuration; `token_type` and `lease`, without `global`, for a role); `real` is what real servers say (all but the
 * secrets for the access configuration; `type` and `global`, without `lease`, for a role).
 */
export type SchedulerReads = "documented" | "real";
