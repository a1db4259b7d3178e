/**
 * A bound number of rows. A placeholder alone tells SQLite's planner its value, so that the statement is planned anew whenever
 * it is bound, which takes longer than most statements do.
 */
export const rowLimit = (placeholder = "?"): string => `LIMIT ${placeholder} + 0`;
