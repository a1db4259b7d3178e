/** The code of an error of the system, the runtime or SQLite, such as `ENOENT`; empty for others. Anything may be thrown. */
export const findErrorCode = (error: unknown): string =>
  String((error as { readonly code?: unknown } | null | undefined)?.code ?? "");
