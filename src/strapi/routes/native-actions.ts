/** Native routes of the server as actions, for extensions. */
import { type Context, takeResponse } from "../koa/koa.ts";
import type { NativeRoute, Runtime } from "../runtime.ts";
import { hasOwnStrategy, setOwnAbility } from "./authentication.ts";
import { setActionCaller } from "./caller.ts";
import { nativeRequest } from "./native-request.ts";
import { sanitizedResponse } from "./sanitized-response.ts";
import { readFailure } from "./thrown-error.ts";

const NATIVE = Symbol("galley.native");

type NativeMark = { readonly [NATIVE]: (path: string) => boolean };

/** Whether the server handles an action without code, for the route with this path. */
export const isNative = (action: unknown, path: string): boolean =>
  typeof action === "function" && NATIVE in action && (action as unknown as NativeMark)[NATIVE](path);

interface OwnPart {
  /** For the routes with these paths, the code runs instead of the native action. */
  readonly isOwnPath: (path: string) => boolean;
  readonly isOwn: (ctx: Context) => boolean;
  readonly run: (ctx: Context) => Promise<void>;
}

/** An action that is native in part. */
export const withOwnPart = (native: unknown, { isOwnPath, isOwn, run }: OwnPart): unknown =>
  Object.assign(
    (ctx: Context): Promise<void> => (isOwn(ctx) ? run(ctx) : (native as (ctx: Context) => Promise<void>)(ctx)),
    { [NATIVE]: (path: string) => !isOwnPath(path) },
  );

/**
 * The first letter is encoded as well, so that a parameter is never taken for the name of another route: `/users/count`. What a URL would
 * leave out becomes the id of nothing.
 */
const encodeParam = (text: string): string =>
  /^\.{0,2}$/.test(text)
    ? `~${text}`
    : encodeURIComponent(text).replace(/^[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

const pathWith = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeParam(params[name] ?? ""));

/** Marks what the server does by itself for its own routes. */
export const asNative = <T extends object>(part: T): T => Object.assign(part, { [NATIVE]: () => true });

/** The middleware of routes that the server refuses by itself. */
export const serverLimit = asNative((): undefined => undefined);

/** Passes a request, with the changes of code, to the native route. */
export function nativeAction(
  runtime: () => Runtime,
  { method, path, action: name }: NativeRoute,
): (ctx: Context) => Promise<void> {
  const action = async (ctx: Context): Promise<void> => {
    const { tools, settings } = runtime();
    const { querystring } = ctx;
    const { original } = ctx.req;
    const url = new URL(settings.rest.prefix + pathWith(path, ctx.params), original.url);
    url.search = querystring;
    const request = nativeRequest(ctx, true, tools, { method, url });
    if (hasOwnStrategy(ctx)) await setOwnAbility(runtime(), ctx);
    setActionCaller(request, ctx, name);
    const response = await tools.native(request, original);
    const failure = readFailure(tools, response);
    if (failure?.error) throw failure.error;
    await takeResponse(ctx, await sanitizedResponse(runtime(), name, response), tools.headers(original));
  };
  return asNative(action);
}
