/** Lays out rows in columns of plain text: the first to the left, all others to the right. */
export function layOutTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

/** Three digits that count. */
export const short = (value: number): string =>
  Number.isNaN(value) ? "-" : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
