/** Environment variables from which front ends read the URL and token of their content server. */

/** Read by gatsby-source-strapi, strapi-community-astro-loader, @nuxtjs/strapi, and the starters of Strapi and others. */
const urlNames = [
  "STRAPI_URL",
  "STRAPI_API_URL",
  "STRAPI_BASE_URL",
  "STRAPI_HOST",
  "PUBLIC_STRAPI_URL",
  "PUBLIC_STRAPI_API_URL",
  "NEXT_PUBLIC_STRAPI_URL",
  "NEXT_PUBLIC_STRAPI_API_URL",
  "NEXT_PUBLIC_STRAPI_BASE_URL",
  "NUXT_STRAPI_URL",
  "NUXT_PUBLIC_STRAPI_URL",
  "GATSBY_STRAPI_URL",
  "GATSBY_STRAPI_API_URL",
  "VITE_STRAPI_URL",
  "VITE_STRAPI_API_URL",
  "REACT_APP_STRAPI_URL",
];

/** Without names that bundlers expose to browsers, except one that starters also read on the server. */
const tokenNames = [
  "STRAPI_TOKEN",
  "STRAPI_API_TOKEN",
  "STRAPI_ACCESS_TOKEN",
  "STRAPI_API_KEY",
  "NUXT_STRAPI_TOKEN",
  "NEXT_PUBLIC_STRAPI_API_TOKEN",
];

const entries = (names: readonly string[], value: string) => names.map((name) => [name, value] as const);

/** `url`: without a path, as in "http://localhost:1337". */
export const frontEndEnvironment = (url: string, token: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...entries(urlNames, url), ...entries(tokenNames, token)]);
