/** Strapi's rule for names in kebab-case. */
export const isKebabCase = (name: string): boolean => /^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name);
