/** The version of Strapi whose answers are given, for those who ask for it. */
export const REFERENCE_VERSION = "5.54.0";
