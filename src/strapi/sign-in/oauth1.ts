/** OAuth 1.0a (RFC 5849): a request token, the user's consent, and its exchange for an access token. Requests are signed. */

import { createHmac, randomBytes } from "node:crypto";
import type OAuth from "oauth-1.0a";
import { stringOrEmpty } from "../../lib/coerce.ts";
import { toRecord } from "../../lib/is-record.ts";
import { fetchFields } from "./bounded-fetch.ts";
import type { Fields, Flow } from "./flow.ts";

interface Endpoints {
  readonly request: string;
  readonly authorize: string;
  readonly access: string;
}

const endpoints: Readonly<Record<string, Endpoints>> = {
  twitter: {
    request: "https://api.twitter.com/oauth/request_token",
    authorize: "https://api.twitter.com/oauth/authenticate",
    access: "https://api.twitter.com/oauth/access_token",
  },
};

/** The key and secret of an application. */
export interface Consumer {
  readonly key: string;
  readonly secret: string;
}

interface Signed {
  readonly method: string;
  readonly url: string;
  /** Parameters of the query string, which `url` is without, and those of OAuth besides the usual ones, for the header. */
  readonly params?: Readonly<Record<string, string>>;
}

/** The signed `Authorization` header of a request. `token`: of the user, with its secret. */
function authorizationHeader(consumer: Consumer, { method, url, params = {} }: Signed, token?: Consumer): string {
  const Signer = require("oauth-1.0a") as typeof OAuth;
  const signer = new Signer({
    consumer: { ...consumer },
    signature_method: "HMAC-SHA1",
    hash_function: (text, key) => createHmac("sha1", key).update(text).digest("base64"),
  });
  // the package's own is not made for security
  signer.getNonce = () => randomBytes(16).toString("hex");
  const signed = signer.authorize({ method, url, data: params }, token && { ...token });
  return signer.toHeader({ ...signed, ...params }).Authorization;
}

async function post(consumer: Consumer, request: Omit<Signed, "method">, token?: Consumer): Promise<Fields> {
  const signed = { ...request, method: "POST" };
  const headers = { Authorization: authorizationHeader(consumer, signed, token) };
  const fields = await fetchFields(request.url, { method: "POST", headers });
  return toRecord(fields);
}

/** The fields of a resource that needs a user's token. */
export async function fetchSigned(url: URL, consumer: Consumer, token: Consumer): Promise<Fields> {
  const request = { method: "GET", url: url.origin + url.pathname, params: Object.fromEntries(url.searchParams) };
  const headers = { Authorization: authorizationHeader(consumer, request, token) };
  const fields = await fetchFields(url, { headers });
  return toRecord(fields);
}

function findEndpoints(name: string, config: Fields): Endpoints | undefined {
  if (Object.hasOwn(endpoints, name)) return endpoints[name];
  if (config.oauth !== 1) return undefined;
  const { request_url: request, authorize_url: authorize, access_url: access } = config;
  const found = { request: stringOrEmpty(request), authorize: stringOrEmpty(authorize), access: stringOrEmpty(access) };
  return Object.values(found).includes("") ? undefined : found;
}

/** What the session keeps of the tokens. The secret signs the code's own requests to the provider. */
function sessionTokens({ oauth_token, oauth_token_secret, screen_name }: Fields): Fields {
  return {
    ...(oauth_token ? { access_token: oauth_token } : {}),
    ...(oauth_token_secret ? { access_secret: oauth_token_secret } : {}),
    ...(screen_name ? { raw: { screen_name } } : {}),
  };
}

/** Undefined for a provider without OAuth 1. */
export function oauth1Flow(name: string, config: Fields, redirectUri: string): Flow | undefined {
  const found = findEndpoints(name, config);
  if (!found) return undefined;
  const consumer = { key: stringOrEmpty(config.key), secret: stringOrEmpty(config.secret) };
  return {
    begin: async () => {
      const request = await post(consumer, { url: found.request, params: { oauth_callback: redirectUri } });
      const token = stringOrEmpty(request.oauth_token);
      if (token === "") throw new Error("The provider has returned no request token");
      const { oauth_token, oauth_token_secret } = request;
      const url = `${found.authorize}?oauth_token=${encodeURIComponent(token)}`;
      return { url, grant: { request: { oauth_token, oauth_token_secret } } };
    },
    finish: async ({ oauth_token: token, oauth_verifier: verifier }, { request, provider }) => {
      // also without a token in the session, so that nobody is signed in as somebody else
      if (!request?.oauth_token || token !== request.oauth_token || provider !== name)
        throw new Error("OAuth1 token mismatch");
      const params = { oauth_verifier: stringOrEmpty(verifier) };
      const requestToken = { key: stringOrEmpty(token), secret: stringOrEmpty(request.oauth_token_secret) };
      return sessionTokens(await post(consumer, { url: found.access, params }, requestToken));
    },
  };
}
