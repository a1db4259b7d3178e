/**
 * LIMIT with a placeholder. For a bare placeholder, SQLite plans the statement again with each bound value, which takes
 * longer than most statements; an expression avoids that.
 */
export const rowLimit = (placeholder = "?"): string => `LIMIT ${placeholder} + 0`;
