/**
 * Galley embedded in a program: for tests, seed scripts and tools. The document service has Strapi's names and
 * parameters; requests can be sent with or without a port.
 */
import { resolve } from "node:path";
import type { RequestServer } from "./api/http-route.ts";
import { createCaller, createRequest } from "./caller.ts";
import { Reproducible } from "./engine/documents/reproducible.ts";
import { readTime } from "./kit/clock.ts";
import { withServing } from "./kit/server-of.ts";
import { Kit } from "./kit/test-kit.ts";
import type { Galley, GalleyOptions } from "./public-types.ts";
import { type App, createApp } from "./server/app.ts";
import { createAuthorization } from "./server/callers.ts";
import { type Embedded, embed } from "./server/embedded.ts";
import { type Listening, listen } from "./server/listen.ts";
import { cacheFolder, createTableCache } from "./server/project/table-cache.ts";

/** Throws a TypeError for an invalid time. */
function toReproducible({ now, seed }: GalleyOptions): Reproducible {
  const time = now === undefined ? undefined : readTime("now", now);
  return new Reproducible(time, seed === undefined ? undefined : String(seed));
}

/** A DOM that tests preload, such as happy-dom's, replaces what responses are made of. Rejects with an Error that says how to keep it. */
async function requireNativeResponse(): Promise<void> {
  // that of `Bun` is not replaced
  const native = await Bun.fetch("data:,");
  if (new Response() instanceof native.constructor) return;
  const names = "{ fetch, Request, Response, Headers, FormData, Blob, File, TransformStream }";
  throw new Error(
    `Response is not Bun's: a DOM of the tests, such as happy-dom's, has replaced it, and the server in their process needs it.
Keep it where the DOM is registered: const ${names} = globalThis before, and
Object.assign(globalThis, ${names}) after (galley help tests)`,
  );
}

/** Rejects with a ProjectError that names the file if the project cannot be served, and a TypeError for invalid options. */
export async function createGalley(options: GalleyOptions): Promise<Galley> {
  await requireNativeResponse();
  const {
    project: folder,
    archive,
    key,
    memory = true,
    publicRead = false,
    admin = false,
    environment = process.env,
    content,
    webhooks,
    cache = cacheFolder(process.env),
  } = options;
  const source = archive ?? folder;
  if (source === undefined || (archive !== undefined && folder !== undefined))
    throw new TypeError("createGalley needs either a project or an archive");
  if (archive !== undefined && !memory) throw new TypeError("An archive is served in memory only");
  if (webhooks !== undefined && !memory) throw new TypeError("webhooks are for a project whose database is in memory");
  if (content !== undefined && (archive !== undefined || !memory))
    throw new TypeError("content is for a project whose database is in memory");
  const embedded = await embed(
    source,
    {
      ...(archive === undefined ? {} : { archive: { file: resolve(archive), key } }),
      memory,
      publicRead,
      admin: () => admin,
      environment,
      content,
      testWebhooks: memory ? (webhooks ? lazyWebhooks()(webhooks) : []) : undefined,
      reproducible: toReproducible(options),
      tableCache: createTableCache(cache),
    },
    createApp,
  );
  // files that cannot be served are an error now, and not of the first request
  embedded.served();
  try {
    const contract = process.env.GALLEY_AGAINST
      ? lazyContract().create(embedded.project, process.env, publicRead)
      : undefined;
    const kit = new Kit(embedded, String(options.seed ?? ""), contract);
    return toGalley(embedded, kit, () => kit.end());
  } catch (error) {
    await embedded.close();
    throw error;
  }
}

/** Most tests name no webhooks. */
const lazyWebhooks = () => (require("./kit/webhooks.ts") as typeof import("./kit/webhooks.ts")).readWebhooks;

/** Most tests are not compared with another server. */
const lazyContract = () => (require("./kit/contract.ts") as typeof import("./kit/contract.ts")).Contract;

/** `end`: called when it is closed. */
function toGalley(embedded: Embedded<App>, kit: Kit, end?: () => Promise<void>): Galley {
  const { project, served, documents, snapshot, reset, branch, close, inScope } = embedded;
  let requestServer: RequestServer | undefined;
  let attached: App | undefined;
  /** Replaced by a reset. */
  const app = (): App => {
    const current = served();
    if (requestServer && current !== attached) current.attachServer(requestServer);
    attached = current;
    return current;
  };
  const handle: Galley["handle"] = (request) =>
    inScope(() => kit.handle(request, (received) => app().handle(received)));
  const attachServer = (server: RequestServer): void => {
    requestServer = server;
    attached = undefined;
  };
  const send: Galley["fetch"] = (input, init) => handle(createRequest(input, init));
  let server: Listening | undefined;
  let closing: Promise<void> | undefined;
  const closeAll = (): Promise<void> => {
    closing ??= (async () => {
      await server?.stop();
      await close();
      await end?.();
    })();
    return closing;
  };
  const endStreams = (): void => served().endStreams();
  const trim = (): void => served().trim();
  const galley: Galley = {
    documents,
    handle,
    fetch: send,
    as: (caller) => createCaller(send, () => createAuthorization(project(), caller)),
    serve: (port = 0) => {
      server ??= listen({ handle, attachServer, trim, endStreams }, { port, host: "localhost", embedded: true });
      const url = `http://localhost:${server.port}`;
      embedded.setAddress(url);
      return url;
    },
    database: () => project().context.storage.lend(),
    snapshot,
    reset: async (to) => {
      await reset(to);
      kit.reset(to === undefined);
    },
    branch: async () => {
      const copy = await branch();
      return toGalley(copy, kit.copy(copy));
    },
    ...kit.functions(inScope),
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  };
  return withServing(galley, { attachServer, trim, endStreams, setAddress: embedded.setAddress });
}

export { ApiError, ProjectError } from "./lib/errors.ts";
export type * from "./public-types.ts";
