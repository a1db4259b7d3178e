const units = [
  ["GB", 1e9],
  ["MB", 1e6],
  ["KB", 1e3],
] as const;

/** The size of a file, to one decimal. */
export function sizeText(bytes: number): string {
  const [unit, size] = units.find(([, least]) => bytes >= least) ?? ["bytes", 1];
  return `${(bytes / size).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}
