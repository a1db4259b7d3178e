/** The authorization code flow of OAuth 2: where users are sent, and the exchange of the code that they come back with. */

import { randomBytes } from "node:crypto";
import { stringOrEmpty } from "../../lib/coerce.ts";
import { toRecord } from "../../lib/is-record.ts";
import { fetchFields } from "./bounded-fetch.ts";
import type { Fields, Flow } from "./flow.ts";

/** The delimiter of scopes, where users are sent, and where codes are exchanged. `[subdomain]` is replaced by the configured one. */
const endpoints: Readonly<Record<string, readonly [delimiter: string, authorize: string, access: string]>> = {
  discord: [" ", "https://discord.com/api/oauth2/authorize", "https://discord.com/api/oauth2/token"],
  facebook: [",", "https://www.facebook.com/dialog/oauth", "https://graph.facebook.com/oauth/access_token"],
  google: [" ", "https://accounts.google.com/o/oauth2/v2/auth", "https://oauth2.googleapis.com/token"],
  github: [",", "https://github.com/login/oauth/authorize", "https://github.com/login/oauth/access_token"],
  microsoft: [
    " ",
    "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    "https://login.microsoftonline.com/common/oauth2/v2.0/token",
  ],
  instagram: [" ", "https://api.instagram.com/oauth/authorize", "https://api.instagram.com/oauth/access_token"],
  vk: [",", "https://oauth.vk.com/authorize", "https://oauth.vk.com/access_token"],
  twitch: [" ", "https://id.twitch.tv/oauth2/authorize", "https://id.twitch.tv/oauth2/token"],
  linkedin: [" ", "https://www.linkedin.com/oauth/v2/authorization", "https://www.linkedin.com/oauth/v2/accessToken"],
  cognito: [" ", "https://[subdomain]/oauth2/authorize", "https://[subdomain]/oauth2/token"],
  reddit: [",", "https://ssl.reddit.com/api/v1/authorize", "https://ssl.reddit.com/api/v1/access_token"],
  auth0: [" ", "https://[subdomain].auth0.com/authorize", "https://[subdomain].auth0.com/oauth/token"],
  cas: [",", "https://[subdomain]/oidc/authorize", "https://[subdomain]/oidc/token"],
  patreon: [" ", "https://www.patreon.com/oauth2/authorize", "https://www.patreon.com/api/oauth2/token"],
  keycloak: [
    " ",
    "https://[subdomain]/protocol/openid-connect/auth",
    "https://[subdomain]/protocol/openid-connect/token",
  ],
};

/**
 * Those of a provider of the project are in its configuration. Undefined for a provider without. `usesBasic`: sends key and secret as
 * HTTP Basic authentication.
 */
function findEndpoints(name: string, config: Fields) {
  if (Object.hasOwn(endpoints, name)) {
    const [delimiter, authorize, access] = endpoints[name]!;
    return { delimiter, authorize, access, usesBasic: name === "reddit" };
  }
  const [authorize, access] = [stringOrEmpty(config.authorize_url), stringOrEmpty(config.access_url)];
  if (config.oauth === 1 || authorize === "" || access === "") return undefined;
  return {
    authorize,
    access,
    delimiter: typeof config.scope_delimiter === "string" ? config.scope_delimiter : ",",
    usesBasic: config.token_endpoint_auth_method === "client_secret_basic",
  };
}

/** Undefined for a provider without endpoints. `redirectUri`: the URL of this server to which the provider sends users back. */
function oauthProvider(name: string, config: Fields, redirectUri: string) {
  const found = findEndpoints(name, config);
  if (!found) return undefined;
  const subdomain = stringOrEmpty(config.subdomain);
  const resolve = (url: string): string => (subdomain === "" ? url : url.replace("[subdomain]", subdomain));
  return {
    ...found,
    authorize: resolve(found.authorize),
    access: resolve(found.access),
    key: stringOrEmpty(config.key),
    secret: stringOrEmpty(config.secret),
    scope: config.scope,
    redirectUri,
  };
}

type OAuthProvider = NonNullable<ReturnType<typeof oauthProvider>>;

/** The URL to which a user is sent. `state` protects the callback. */
function authorizeUrl(provider: OAuthProvider, state: string): string {
  const { authorize, key, redirectUri, delimiter, scope } = provider;
  const params = new URLSearchParams({ client_id: key, response_type: "code", redirect_uri: redirectUri });
  const scopes = Array.isArray(scope) ? scope.filter(Boolean).join(delimiter) : stringOrEmpty(scope);
  if (scopes !== "") params.set("scope", scopes);
  return `${authorize}?${params}&state=${encodeURIComponent(state)}`;
}

/** Resolves with the tokens. Throws the provider's error. */
async function exchangeCode(provider: OAuthProvider, code: string): Promise<Fields> {
  const { access, key, secret, redirectUri, usesBasic } = provider;
  const credentials: Record<string, string> = usesBasic ? {} : { client_id: key, client_secret: secret };
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    ...credentials,
  });
  const headers = new Headers({ "Content-Type": "application/x-www-form-urlencoded" });
  if (usesBasic) headers.set("Authorization", `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`);
  const tokens = await fetchFields(access, { method: "POST", headers, body });
  return toRecord(tokens);
}

/** What the session keeps of the tokens: what the provider's profile needs, since a cookie is small. */
function sessionTokens(provider: string, tokens: Fields): Fields {
  const names = provider === "cognito" ? ["id_token"] : ["access_token", ...(provider === "vk" ? [] : ["id_token"])];
  const kept = Object.fromEntries(names.flatMap((name) => (tokens[name] ? [[name, tokens[name]]] : [])));
  const { email, user_id } = tokens;
  return provider === "vk" && email && user_id ? { ...kept, raw: { email, user_id } } : kept;
}

export function oauth2Flow(name: string, config: Fields, redirectUri: string): Flow | undefined {
  const provider = oauthProvider(name, config, redirectUri);
  if (!provider) return undefined;
  return {
    begin: async () => {
      const state = randomBytes(20).toString("hex");
      return { url: authorizeUrl(provider, state), grant: { state } };
    },
    finish: async ({ code, state }, grant) => {
      if (typeof code !== "string" || code === "") throw new Error("OAuth2 missing code parameter");
      // also without a state in the session, so that nobody is signed in as somebody else
      if (!grant.state || state !== grant.state || grant.provider !== name) throw new Error("OAuth2 state mismatch");
      return sessionTokens(name, await exchangeCode(provider, code));
    },
  };
}
