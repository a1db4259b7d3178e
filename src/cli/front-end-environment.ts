/** Environment variables from which front ends read the URL and token of their content server. */
import { UsageError } from "./command.ts";

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
  "VITE_STRAPI_BASE_URL",
  "VUE_APP_STRAPI_API_URL",
  "REACT_APP_STRAPI_URL",
  "EXPO_PUBLIC_STRAPI_URL",
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
