/** How the built-in providers return a user's name and address. Addresses that a provider has not verified are refused. */
import { isRecord } from "../../lib/is-record.ts";
import { fetchFields, fetchWithToken } from "./bounded-fetch.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Profile {
  readonly username?: unknown;
  readonly email?: unknown;
  readonly [name: string]: unknown;
}

/** What the authentication of a provider is called with. */
export interface ProfileRequest {
  readonly accessToken: string;
  readonly query: Fields;
  /** The stored configuration of all providers. */
  readonly providers: Readonly<Record<string, Fields>>;
  readonly grantResponse?: Fields;
}

export type AuthCallback = (request: ProfileRequest) => Promise<Profile>;

const AGENT = { "user-agent": "galley" };

function verified(isVerified: unknown, provider: string): void {
  if (isVerified !== true) throw new Error(`Email not verified by ${provider}`);
}

const field = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, step) => (Object(inner) as Record<string | number, unknown>)[step], value);

/** Checks the signature of an id token by the provider's public keys. */
async function idTokenClaims(token: string, keysUrl: unknown): Promise<Fields> {
  const { createLocalJWKSet, jwtVerify } = require("jose") as typeof import("jose");
  const keys = await fetchFields(String(keysUrl));
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys as Parameters<typeof createLocalJWKSet>[0]));
  return payload;
}

/** By name of the provider. */
export const profiles: Readonly<Record<string, AuthCallback>> = {
  discord: async ({ accessToken }) => {
    const user = await fetchWithToken("https://discord.com/api/users/@me", accessToken);
    verified(user.verified, "Discord");
    const { username, discriminator, email } = user;
    return { username: discriminator && discriminator !== "0" ? `${username}#${discriminator}` : username, email };
  },
  facebook: async ({ accessToken }) => {
    const { name, email } = await fetchWithToken("https://graph.facebook.com/me?fields=name%2Cemail", accessToken);
    verified(Boolean(email), "Facebook");
    return { username: name, email };
  },
  google: async ({ accessToken }) => {
    const token = encodeURIComponent(accessToken);
    const info = (await fetchFields(`https://oauth2.googleapis.com/tokeninfo?access_token=${token}`)) as Fields;
    verified(String(info.verified_email ?? info.email_verified) === "true", "Google");
    return { username: String(info.email).split("@")[0], email: info.email };
  },
  github: async ({ accessToken }) => {
    const user = await fetchWithToken("https://api.github.com/user", accessToken, AGENT);
    const { list } = await fetchWithToken("https://api.github.com/user/emails", accessToken, AGENT);
    const entries = (Array.isArray(list) ? list : []).filter(isRecord);
    const entry = user.email
      ? entries.find(({ email }) => email === user.email)
      : entries.find(({ primary }) => primary);
    verified(entry?.verified, "GitHub");
    return { username: user.login, email: entry?.email };
  },
  microsoft: async ({ accessToken }) => {
    const { userPrincipalName: name } = await fetchWithToken("https://graph.microsoft.com/v1.0/me", accessToken);
    return { username: name, email: name };
  },
  twitter: async ({ accessToken, providers, grantResponse }) => {
    const secret = grantResponse?.access_secret;
    if (!secret) throw new Error("Twitter authentication requires a completed OAuth session");
    const { fetchSigned } = require("./oauth1.ts") as typeof import("./oauth1.ts");
    const url = new URL("https://api.twitter.com/1.1/account/verify_credentials.json?include_email=true");
    const name = field(grantResponse, "raw", "screen_name");
    if (name) url.searchParams.set("screen_name", String(name));
    const { key, secret: ofApplication } = Object(providers.twitter) as Fields;
    const consumer = { key: String(key), secret: String(ofApplication) };
    const user = await fetchSigned(url, consumer, { key: accessToken, secret: String(secret) });
    verified(Boolean(user.email), "Twitter");
    return { username: user.screen_name, email: user.email };
  },
  instagram: async ({ accessToken }) => {
    const { username } = await fetchWithToken("https://graph.instagram.com/me?fields=id%2Cusername", accessToken);
    return { username, email: `${username}@strapi.io` };
  },
  vk: async ({ accessToken, grantResponse }) => {
    const { email, user_id: id } = Object(field(grantResponse, "raw")) as Fields;
    if (!email || !id) throw new Error("VK authentication requires a completed OAuth session");
    const query = new URLSearchParams({ user_ids: String(id), v: "5.122" });
    const body = await fetchWithToken(`https://api.vk.com/method/users.get?${query}`, accessToken);
    const user = field(body, "response", 0);
    if (!isRecord(user)) throw new Error("Invalid VK access token");
    return { username: `${user.last_name} ${user.first_name}`, email };
  },
  twitch: async ({ accessToken, providers }) => {
    const headers = { "Client-Id": String(providers.twitch?.key) };
    const user = field(await fetchWithToken("https://api.twitch.tv/helix/users", accessToken, headers), "data", 0);
    verified(Boolean(field(user, "email")), "Twitch");
    return { username: field(user, "login"), email: field(user, "email") };
  },
  linkedin: async ({ accessToken }) => {
    const api = "https://api.linkedin.com/v2";
    const { localizedFirstName: username } = await fetchWithToken(`${api}/me`, accessToken);
    const addresses = await fetchWithToken(
      `${api}/emailAddress?q=members&projection=(elements*(handle~))`,
      accessToken,
    );
    const email = field(addresses, "elements", 0, "handle~", "emailAddress");
    verified(Boolean(email), "LinkedIn");
    return { username, email };
  },
  cognito: async ({ providers, grantResponse }) => {
    const token = grantResponse?.id_token;
    if (!token) throw new Error("Cognito authentication requires a completed OAuth session");
    const claims = await idTokenClaims(String(token), providers.cognito?.jwksurl);
    verified(claims.email_verified, "Cognito");
    return { username: claims["cognito:username"], email: claims.email };
  },
  reddit: async ({ accessToken }) => {
    const { name } = await fetchWithToken("https://oauth.reddit.com/api/v1/me", accessToken, AGENT);
    return { username: name, email: `${name}@strapi.io` };
  },
  auth0: async ({ accessToken, providers }) => {
    const user = await fetchWithToken(`https://${providers.auth0?.subdomain}.auth0.com/userinfo`, accessToken);
    if (user.email) verified(user.email_verified, "Auth0");
    const username = String(user.username || user.nickname || user.name || String(user.email).split("@")[0]);
    return { username, email: user.email || `${username.replace(/\s+/g, ".")}@strapi.io` };
  },
  cas: async ({ accessToken, providers }) => {
    const body = await fetchWithToken(`https://${providers.cas?.subdomain}/oidc/profile`, accessToken);
    const attributes = isRecord(body.attributes) ? body.attributes : body;
    const email = attributes.strapiemail || attributes.email;
    if (email) verified(body.email_verified ?? attributes.email_verified, "CAS");
    return { username: attributes.strapiusername || body.id || body.sub, email };
  },
  patreon: async ({ accessToken }) => {
    const url = "https://www.patreon.com/api/oauth2/v2/identity?fields[user]=full_name,email,is_email_verified";
    const user = Object(field(await fetchWithToken(url, accessToken), "data", "attributes")) as Fields;
    verified(user.is_email_verified, "Patreon");
    return { username: user.full_name, email: user.email };
  },
  keycloak: async ({ accessToken, providers }) => {
    const url = `https://${providers.keycloak?.subdomain}/protocol/openid-connect/userinfo`;
    const user = await fetchWithToken(url, accessToken);
    verified(user.email_verified, "Keycloak");
    return { username: user.preferred_username, email: user.email };
  },
};
