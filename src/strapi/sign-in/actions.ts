/** Actions of sign-in with providers: `GET /connect/:provider`, its callback, and `GET /auth/:provider/callback`. */

import { refreshCookie, wantsCookie } from "../../engine/access/sessions.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { toRecord } from "../../lib/is-record.ts";
import { type Context, refuse } from "../koa/koa.ts";
import { strapiError } from "../packages/utils.ts";
import { isWithinLimit } from "../routes/rate-limit.ts";
import type { Runtime } from "../runtime.ts";
import { connectUser, enabledConfig } from "./connect-user.ts";
import type { Fields, Flow, Grant } from "./flow.ts";
import { oauth2Flow } from "./oauth2.ts";
import type { ProviderRegistry } from "./registry.ts";

/** `config`: the stored one. `redirectUri`: where the provider sends users back. Undefined for a provider without endpoints. */
function createFlow(name: string, config: Fields, redirectUri: string): Flow | undefined {
  const { oauth1Flow } = require("./oauth1.ts") as typeof import("./oauth1.ts");
  return oauth1Flow(name, config, redirectUri) ?? oauth2Flow(name, config, redirectUri);
}

export interface SignInServices {
  readonly runtime: Runtime;
  readonly registry: ProviderRegistry;
  /** The URL of this server to which a provider sends users back. */
  readonly redirectUri: (provider: string) => string;
  /** `callback.validate` of the plugin's configuration; undefined: the callback must be the configured one. */
  readonly validateCallback: unknown;
}

const disabled = () => strapiError("ApplicationError", "This provider is disabled");

const readGrant = (ctx: Context): Grant => {
  const grant = ctx.session?.grant;
  return toRecord(grant);
};

function keepGrant(ctx: Context, grant: Grant): void {
  if (ctx.session) ctx.session.grant = grant;
}

/** Sends the client to `callback`, with these parameters only. */
function redirectTo(ctx: Context, callback: string, params: Readonly<Record<string, unknown>> = {}): void {
  const url = new URL(callback);
  url.search = "";
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  ctx.redirect(url.href);
}

/** As in Strapi, origin and path are those of the configured callback; parameters are free. */
function checkCallback(callback: unknown, { callback: configured }: Fields): void {
  const [own, expected] = [new URL(String(callback)), new URL(String(configured))];
  if (own.origin !== expected.origin || own.pathname !== expected.pathname) throw new Error("Forbidden callback");
}

/** The callback that the client asks for, if the configuration allows it; else the configured one. */
async function chooseCallback(ctx: Context, config: Fields, { validateCallback }: SignInServices): Promise<unknown> {
  const callback = (ctx.query as Fields).callback ?? readGrant(ctx).dynamic?.callback;
  if (callback === undefined) return config.callback;
  try {
    await (typeof validateCallback === "function" ? validateCallback : checkCallback)(callback, config);
  } catch {
    throw strapiError("ValidationError", "Invalid callback URL provided", { callback });
  }
  keepGrant(ctx, { ...readGrant(ctx), dynamic: { callback: String(callback) } });
  return callback;
}

/** A sign-in with a provider. */
interface SignIn {
  readonly provider: string;
  readonly flow: Flow;
}

async function start(ctx: Context, { provider, flow }: SignIn): Promise<void> {
  const { dynamic } = readGrant(ctx);
  const { url, grant } = await flow.begin().catch((error: Error) => {
    throw strapiError("ApplicationError", error.message);
  });
  keepGrant(ctx, { ...(dynamic ? { dynamic } : {}), provider, ...grant });
  ctx.redirect(url);
}

/** The provider has sent the user back: gets tokens, which the session keeps for the client's next request. */
async function finish(ctx: Context, { provider, flow }: SignIn, callback: string): Promise<void> {
  const query = ctx.query as Fields;
  const { error, error_description } = query;
  const grant = readGrant(ctx);
  keepGrant(ctx, {});
  if (error) return redirectTo(ctx, callback, { error, error_description });
  try {
    keepGrant(ctx, { provider, response: await flow.finish(query, grant) });
    redirectTo(ctx, callback);
  } catch (failure) {
    redirectTo(ctx, callback, { error: "oauth_error", error_description: (failure as Error).message });
  }
}

/** `GET /connect/:provider` and `GET /connect/:provider/callback`. */
export async function connect(ctx: Context, services: SignInServices): Promise<void> {
  const { runtime, redirectUri } = services;
  if (!(await isWithinLimit(ctx, runtime, "/connect"))) return;
  const [name = "", segment] = ctx.path.slice(ctx.path.indexOf("/connect/") + "/connect/".length).split("/");
  const config = enabledConfig(runtime, name);
  if (!config) throw disabled();
  if (!ctx.session) return refuse(ctx, 400, "BadRequestError", "OAuth connect requires session middleware", {});
  const callback = await chooseCallback(ctx, config, services);
  const flow = createFlow(name, config, redirectUri(name));
  if (!flow) throw strapiError("ApplicationError", "Unknown OAuth provider");
  const attempt = { provider: name, flow };
  if (segment !== "callback") return start(ctx, attempt);
  if (typeof callback !== "string" || callback === "")
    throw strapiError("ApplicationError", "Provider callback URL is not configured");
  await finish(ctx, attempt, callback);
}

/** `GET /auth/:provider/callback`, after `connect`: signs in with the tokens that the session keeps. */
export async function signIn(ctx: Context, { runtime, registry }: SignInServices): Promise<void> {
  const provider = String(ctx.params.provider);
  if (!enabledConfig(runtime, provider)) throw disabled();
  const { access, settings, sanitizers } = runtime;
  try {
    const { response, provider: sender = provider } = readGrant(ctx);
    // tokens of one provider are no proof for another, whose profile may take them as they are
    if (!response || sender !== provider) throw new Error("OAuth authentication requires a completed provider session");
    const options = { grantResponse: response };
    const { connectProvider } = access.steps;
    const connected = connectProvider
      ? connectProvider(provider, response, options)
      : connectUser(runtime, registry, provider, response, options);
    const user = (await connected) as Fields;
    if (user.blocked) throw new Error("Your account has been blocked by an administrator");
    const device = { id: undefined, userAgent: ctx.get("user-agent") || null };
    const { refreshToken, ...signedIn } = await access.auth.logInAs(Number(user.id), device);
    const body = { ...signedIn, user: await sanitizers.output(USER, signedIn.user) };
    const isInCookie = refreshToken !== undefined && wantsCookie(ctx.req.original, settings);
    if (isInCookie) ctx.response.append("Set-Cookie", refreshCookie(refreshToken, settings));
    ctx.send(refreshToken === undefined || isInCookie ? body : { jwt: body.jwt, refreshToken, user: body.user });
  } catch (error) {
    throw strapiError("ApplicationError", (error as Error).message);
  }
}
