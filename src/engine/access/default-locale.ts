/** Meta key: code of the default locale. */
export const DEFAULT_LOCALE = "default_locale";
