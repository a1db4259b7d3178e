/** The key of the default locale's code in `galley_meta`. */
export const DEFAULT_LOCALE = "default_locale";
