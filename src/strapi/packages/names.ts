/** The names of the packages that Galley provides. In a file of its own, since importing the packages is slow. */
export const providedNames = [
  "@strapi/strapi",
  "@strapi/utils",
  "@strapi/utils/dist/errors",
  "@strapi/utils/dist/errors.js",
  "@strapi/types",
  "@strapi/database",
  "@strapi/database/dist/transaction-context",
  "@strapi/database/dist/transaction-context.js",
] as const;

export type ProvidedName = (typeof providedNames)[number];
