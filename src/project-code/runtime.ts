/** What the parts of this layer share about one project whose code runs. */
import type { Ability } from "../access/ability.ts";
import type { AccessParts } from "../access/index.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { MediaService } from "../media/media-service.ts";
import type { ContentType } from "../schema/model.ts";
import type { AsyncTransactions } from "../storage/async-transactions.ts";
import type { Documents } from "./data/documents.ts";
import type { Lifecycles } from "./data/lifecycles.ts";
import type { QueryEngine } from "./data/query-engine.ts";
import type { Context } from "./http/context.ts";
import type { ParsedQueries } from "./http/parsed-queries.ts";
import type { DeclaredRoute } from "./http/routes.ts";

/** A route that the server answers by itself. */
export interface NativeRoute {
  readonly method: string;
  /** Below the API prefix. */
  readonly path: string;
  readonly action: string | undefined;
}

/** A file of a form, as it arrives. */
export interface FormPart {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

/** Functions of the interfaces, handed down by the server: this layer does not know them. */
export interface HttpTools {
  readonly parseQuery: (search: string) => Record<string, unknown>;
  /** The parsed body; undefined for none, and for forms with files. Throws ApiErrors. */
  readonly readBody: (request: Request) => Promise<unknown>;
  /** The fields of a form, once each of its files has been taken. Throws ApiErrors for forms beyond the limits. */
  readonly readForm: (
    request: Request,
    onFile: (part: FormPart) => Promise<void>,
  ) => Promise<readonly (readonly [name: string, value: string])[]>;
  readonly toV4: (type: ContentType, data: unknown) => unknown;
  /** The headers that every answer has. */
  readonly headers: (request: Request) => Headers;
  /** Handles a request without code. `sent`: the original request, if `request` was derived from it. */
  readonly native: (request: Request, sent?: Request) => Promise<Response>;
  readonly clientIp: (request: Request) => string;
  /** Makes a WebSocket of the request that is relayed to the URL; false where the other side does not take it. */
  readonly relaySocket: (request: Request, url: string, headers: Headers) => Promise<boolean>;
  readonly stringifyQuery: (query: Record<string, unknown>) => string;
  /** The routes of plugins. */
  readonly routes: readonly NativeRoute[];
}

/** With what is kept between requests. */
export interface CodeTools extends HttpTools {
  readonly queries: ParsedQueries;
  /** `ctx.app`. */
  readonly app: object;
}

/** The parts of an opened project that code works with. */
export interface CodeProject {
  readonly root: string;
  readonly settings: Settings;
  readonly context: DocumentsContext;
  readonly access: AccessParts;
  readonly media: () => MediaService;
  readonly transactions: AsyncTransactions;
  /** Permissions that the code adds. */
  readonly actions: readonly string[];
  /** Where the server is reached. */
  readonly address: () => string;
  /** Aborted when the project is no longer served. */
  readonly ended: AbortController;
}

export interface RequestContext {
  /** The request that the running code answers. */
  readonly get: () => Context | undefined;
  readonly run: <T>(ctx: Context, work: () => T) => T;
}

export interface Runtime extends CodeProject {
  readonly tools: CodeTools;
  /** As code sees it: nothing is private. */
  readonly raw: DocumentsContext;
  readonly lifecycles: Lifecycles;
  readonly documents: Documents;
  readonly query: (uid: string) => QueryEngine;
  readonly requestContext: RequestContext;
  /** Whether hooks may look at the request for which they run, so that it is known while the server answers by itself, too. */
  readonly usesRequestContext: boolean;
  readonly service: (uid: string) => unknown;
  /** A content-type as code sees it. */
  readonly schemaOf: (uid: string) => unknown;
  /** Whether a service does nothing of its own for an action, so that it need not be called. */
  readonly hasCoreService: (uid: string, action: string) => boolean;
  /** The routes that code and its core routers declare; before they are known, those that code has added by itself. */
  readonly routes: () => readonly DeclaredRoute[];
  /** The object that code is given; its shape is Strapi's. */
  readonly strapi: object;
  readonly log: Log;
}

export interface Log {
  readonly error: (...args: readonly unknown[]) => void;
  readonly warn: (...args: readonly unknown[]) => void;
  readonly info: (...args: readonly unknown[]) => void;
  readonly debug: (...args: readonly unknown[]) => void;
}

export type { Ability };
