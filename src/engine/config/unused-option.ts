/** Options of built-in middlewares that have no effect here, but have one in Strapi. */
export interface UnusedOption {
  readonly name: string;
  readonly reason: string;
}

export const unusedOption = (name: string, value: unknown): UnusedOption => ({
  name,
  reason: typeof value === "function" ? "its function is not called" : "it has no effect in Galley",
});
