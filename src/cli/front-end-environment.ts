/** Environment variables from which front ends read the URL and token of their content server. */
import { UsageError } from "./command.ts";

/** Of the variables that a framework exposes to browsers; without one, those that are read on the server. */
const prefixes = [
  "",
  "PUBLIC_",
  "NEXT_PUBLIC_",
  "NUXT_",
  "NUXT_PUBLIC_",
  "GATSBY_",
  "VITE_",
  "VUE_APP_",
  "REACT_APP_",
  "EXPO_PUBLIC_",
];

/** Read by gatsby-source-strapi, strapi-community-astro-loader, @nuxtjs/strapi, and the starters of Strapi and others. */
const urlNames = [
  "STRAPI_HOST",
  ...["STRAPI_URL", "STRAPI_API_URL", "STRAPI_BASE_URL"].flatMap((name) => prefixes.map((prefix) => prefix + name)),
];

/** Read by LaunchPad, FoodAdvisor and the blogs among Strapi's own starters. Other back ends have such names, too. */
const generalUrlNames = ["NEXT_PUBLIC_API_URL", "API_URL", "REACT_APP_BACKEND_URL"];

/** Read by sites with Apollo Client; with the path. */
const graphqlUrlNames = ["STRAPI_GRAPHQL_URL", "NEXT_PUBLIC_STRAPI_GRAPHQL_URL"];

/** Without names that bundlers expose to browsers, except one that starters also read on the server. */
const tokenNames = [
  "STRAPI_TOKEN",
  "STRAPI_API_TOKEN",
  "STRAPI_ACCESS_TOKEN",
  "STRAPI_API_KEY",
  "STRAPI_REST_READONLY_API_KEY",
  "NUXT_STRAPI_TOKEN",
  "NEXT_PUBLIC_STRAPI_API_TOKEN",
];

const entries = (names: readonly string[], value: string) => names.map((name) => [name, value] as const);

type Environment = Readonly<Record<string, string | undefined>>;

/** What is added to `environment`. `url`: without a path, as in "http://localhost:1337". */
export const frontEndEnvironment = (url: string, token: string, environment: Environment): Environment =>
  Object.fromEntries([
    ...entries(
      generalUrlNames.filter((name) => !environment[name]),
      url,
    ),
    ...entries(urlNames, url),
    ...entries(graphqlUrlNames, `${url}/graphql`),
    ...entries(tokenNames, token),
  ]);

/** "NAME=VALUE", where `{url}` and `{token}` stand for those. Throws a UsageError for anything else. */
export function namedEnvironment(pairs: readonly string[], url: string, token: string): Environment {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`--env must be NAME=VALUE, with {url} and {token} in VALUE, not "${pair}"`);
      return [name, value.replaceAll("{url}", () => url).replaceAll("{token}", () => token)];
    }),
  );
}
