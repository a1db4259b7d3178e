/** The names of the packages that Galley provides, for those who do not load them. */
export const providedNames = ["@strapi/strapi", "@strapi/utils", "@strapi/types"] as const;

export type ProvidedName = (typeof providedNames)[number];
