/** What `require` resolves to, decided by functions. */
import { createRequire, Module } from "node:module";
import { dirname, sep } from "node:path";

type Resolver = (request: string, parent: { readonly filename?: string } | undefined, ...rest: unknown[]) => string;

/** Returns a path or a module's name. `next`: what it would be otherwise; throws if there is none. */
export type RequireHook = (request: string, importer: string, next: () => string) => string;

const asked = new WeakSet<RequireHook>();

/** From now on `hook` is asked about each call of a file, the last one first. */
export function hookRequire(hook: RequireHook): void {
  if (asked.has(hook)) return;
  asked.add(hook);
  const modules = Module as unknown as { _resolveFilename: Resolver };
  const original = modules._resolveFilename;
  modules._resolveFilename = function resolveFilename(request, parent, ...rest) {
    const next = (): string => original.call(this, request, parent, ...rest);
    return parent?.filename === undefined ? next() : hook(request, parent.filename, next);
  };
}

interface RequiringModule {
  readonly filename?: string;
}

/** Returns the path of what a file gets instead. */
type Redirect = (request: string, importer: string) => string | undefined;

const redirects = new WeakSet<Redirect>();

/** From now on `redirect` may replace what a file requires, also modules that plugins of Bun provide, which no `RequireHook` sees. */
export function redirectRequire(redirect: Redirect): void {
  if (redirects.has(redirect)) return;
  redirects.add(redirect);
  const { prototype } = Module as unknown as {
    prototype: { require(this: RequiringModule, request: string): unknown };
  };
  const original = prototype.require;
  prototype.require = function require(request) {
    const path = this.filename === undefined ? undefined : redirect(request, this.filename);
    return original.call(this, path ?? request);
  };
}

/** Where the server's modules are: its source, or its bundle. */
const OWN_FOLDER = `${dirname(import.meta.dir)}${sep}`;
const IN_EXECUTABLE = /^(?:\/\$bunfs|[A-Z]:[\\/]~BUN)[\\/]/;
const isOwn = (key: string | symbol): boolean =>
  typeof key === "string" && (key.startsWith(OWN_FOLDER) || IN_EXECUTABLE.test(key));

let keepsOwn = false;

/**
 * From now on, what clears `require.cache` for a while, to load another copy of a package, unloads no module of the server, which would be
 * there twice.
 */
export function keepOwnModules(): void {
  if (keepsOwn) return;
  keepsOwn = true;
  const requireFunctions = Object.getPrototypeOf(createRequire(import.meta.path)) as object;
  const cache = new Proxy(require.cache, {
    set: (modules, key, module) => isOwn(key) || Reflect.set(modules, key, module),
    deleteProperty: (modules, key) => isOwn(key) || Reflect.deleteProperty(modules, key),
  });
  Object.defineProperty(requireFunctions, "cache", { get: () => cache, configurable: true });
}
