/** The only way an identifier gets into SQL. Values never do: they are bound. */
export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""').replaceAll("\0", "")}"`;
