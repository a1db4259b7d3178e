/** The locales that Strapi offers. */
import names from "./iso-locales.json" with { type: "json" };

export const isoLocales: readonly { readonly code: string; readonly name: string }[] = Object.entries(names).map(
  ([code, name]) => ({ code, name }),
);
