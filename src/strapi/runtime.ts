/** State and services that the parts of this layer share, for one project with code. */
import type Koa from "koa";
import type { Ability } from "../engine/access/access.ts";
import type { AccessParts } from "../engine/access/index.ts";
import type { Settings } from "../engine/config/settings.ts";
import type { DocumentsContext } from "../engine/documents/context.ts";
import type { MediaService } from "../engine/media/media-service.ts";
import type { ContentType, Model } from "../engine/schema/model.ts";
import type { AsyncTransactions } from "../engine/storage/async-transactions.ts";
import type { Storage } from "../engine/storage/storage.ts";
import type { Webhooks } from "../engine/webhooks/webhooks.ts";
import type { StrapiDocuments } from "./data/documents.ts";
import type { Lifecycles } from "./data/lifecycles.ts";
import type { QueryEngine } from "./data/query-engine.ts";
import type { Sanitizers } from "./data/sanitizers.ts";
import type { ParsedQueries } from "./koa/parsed-queries.ts";
import type { Log } from "./lib/log.ts";
import type { DeclaredRoute } from "./loader/routes.ts";
import type { CodeConfig } from "./members/config.ts";
import type { RequestContext } from "./members/request-context.ts";
import type { RawContext } from "./rows/row-hooks.ts";

/** A route that the server handles without code. */
export interface NativeRoute {
  readonly method: string;
  /** Below the API prefix. */
  readonly path: string;
  readonly action: string | undefined;
}

/** A file in a multipart form, as a stream. */
export interface FormPart {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly stream: AsyncIterable<Uint8Array>;
}

export interface AdministratorPermission {
  readonly action: string;
  readonly subject: string | null;
  /** `fields` in dot notation, if only these are allowed. */
  readonly properties: { readonly fields?: readonly string[] };
}

/** An administrator who sends a request: with an admin token, or from the admin page. */
export interface AdministratorCaller {
  /** The administrator's row with its roles, without secrets. */
  readonly user: object;
  /** That of the admin token. */
  readonly token?: Ability;
  /** The id of the page's session. */
  readonly session?: string;
  /** Those that allow an action. `subject`: the uid of a content-type, which actions on them need. */
  readonly permissionsOf: (
    action: string,
    subject?: string | null,
    field?: string,
  ) => readonly AdministratorPermission[];
}

/** Functions of the HTTP layer, which this layer must not import. The server passes them in. */
export interface HttpTools {
  readonly parseQuery: (search: string) => Record<string, unknown>;
  /** The parsed body; undefined if there is none, and for forms with files. Rejects with an ApiError. */
  readonly readBody: (request: Request) => Promise<unknown>;
  /** Resolves with the fields of a form when `onFile` has read all files. Rejects with an ApiError for forms that exceed the limits. */
  readonly readForm: (
    request: Request,
    onFile: (part: FormPart) => Promise<void>,
  ) => Promise<readonly (readonly [name: string, value: string])[]>;
  readonly toV4: (type: ContentType, data: unknown) => unknown;
  /** The headers of every response. */
  readonly headers: (request: Request) => Headers;
  /** The same with the type of JSON. They are shared, and must not be changed. */
  readonly jsonHeaders: (request: Request) => Headers;
  /** Whether a request asks what other origins may do, and the settings of CORS alone decide on the response. */
  readonly answersPreflight: (request: Request) => boolean;
  /** Handles a request without code. `sent`: the original request, if `request` was derived from it. */
  readonly native: (request: Request, sent?: Request) => Promise<Response>;
  /** What was thrown where a response of `native` is an error. */
  readonly errorOf: (response: Response) => unknown;
  readonly clientIp: (request: Request) => string;
  /** Undefined if the request is not an administrator's. Throws an ApiError for an expired token. */
  readonly findAdministrator: (request: Request) => AdministratorCaller | undefined;
  /** The permissions of administrators with the super admin's role. */
  readonly superAdminPermissions: () => AdministratorCaller["permissionsOf"];
  /** The path without the prefix of the admin page's requests; undefined for other paths. */
  readonly pagePath: (path: string) => string | undefined;
  /** The request at another path, as one that the administrator sends in a session of the admin page. */
  readonly asAdministrator: (request: Request, path: string, session: string) => Request;
  /** Upgrades the request to a WebSocket that is relayed to the URL; false if the other server refuses it. */
  readonly relaySocket: (request: Request, url: string, headers: Headers) => Promise<boolean>;
  readonly stringifyQuery: (query: Record<string, unknown>) => string;
  /** The routes of plugins. */
  readonly routes: readonly NativeRoute[];
}

/** With state that is shared between requests. */
export interface CodeTools extends HttpTools {
  readonly queries: ParsedQueries;
  /** `ctx.app`. */
  readonly app: Koa;
}

/** The parts of an open project that code uses. */
export interface CodeProject {
  readonly root: string;
  readonly settings: Settings;
  readonly context: DocumentsContext;
  readonly access: AccessParts;
  readonly media: () => MediaService;
  readonly transactions: AsyncTransactions;
  readonly webhooks: Webhooks;
  /** How the admin panel shows each content-type and component, by key of the core store. */
  readonly formConfigurations: () => Iterable<readonly [key: string, configuration: unknown]>;
  /** Permissions that the code adds. */
  readonly actions: readonly string[];
  /** URL of the server. */
  readonly address: () => string;
  /** Aborted when the project is no longer served. */
  readonly ended: AbortController;
}

/** The rows of Strapi's administration. */
export interface AdministrationDatabase {
  readonly model: Model;
  /** The queries of a type. */
  readonly query: (uid: string) => object;
  /** Runs statements on the tables. What they write to settings and tokens is stored. */
  readonly run: (isRead: boolean, work: (storage: Storage) => void) => Promise<void>;
}

export interface Runtime extends CodeProject {
  readonly tools: CodeTools;
  /** The context of code, for which no attribute is private. */
  readonly raw: RawContext;
  readonly lifecycles: Lifecycles;
  readonly documents: StrapiDocuments;
  readonly query: (uid: string) => QueryEngine;
  /** The rows of Strapi's administration, which are opened on first use. */
  readonly administration: () => AdministrationDatabase;
  /** Functions that code adds to `strapi.sanitizers` and `strapi.validators`. */
  readonly sanitizers: Sanitizers;
  readonly requestContext: RequestContext;
  /** Whether the code uses `strapi.requestContext`: then a context is also created for requests that the server handles. */
  readonly usesRequestContext: boolean;
  /** Finds the claims of a user's token in a request; undefined: the server does. */
  readonly findClaims: () => ((ctx: object) => Promise<unknown>) | undefined;
  readonly service: (uid: string) => unknown;
  /** A content-type as code sees it. */
  readonly findSchema: (uid: string) => unknown;
  /** Whether a service has the core method for an action, so that it need not be called. */
  readonly hasCoreService: (uid: string, action: string) => boolean;
  /** The declared routes, including those of core routers; during startup, only those added with `strapi.server.routes()`. */
  readonly routes: () => readonly DeclaredRoute[];
  /** What code reads as `strapi.config`. */
  readonly config: CodeConfig;
  /** The global `strapi` object. Its shape is that of Strapi. */
  readonly strapi: object;
  readonly log: Log;
}

export type { Ability, Log };
