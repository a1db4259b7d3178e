import type { ProjectProblem } from "../lib/errors.ts";
import { AdministratorActions } from "./administration/actions.ts";
import { createRuntime, type Started } from "./create-runtime.ts";
import type { StrapiDocuments } from "./data/documents.ts";
import { createDataLayers } from "./data-layers.ts";
import { Cron } from "./instance/cron.ts";
import { ExtraParams } from "./instance/extra-params.ts";
import { registerMembers } from "./instance/register-members.ts";
import type { Middleware } from "./koa/koa.ts";
import { Deadlines, type Limit } from "./lib/deadlines.ts";
import type { CodeBundle } from "./loader/load.ts";
import { createRegistries } from "./loader/registry.ts";
import type { DeclaredRoute } from "./loader/routes.ts";
import { createEmails } from "./plugins/email.ts";
import { GraphqlExtension, type SchemaExtension } from "./plugins/graphql.ts";
import { administratorStrategies } from "./routes/administrators.ts";
import { AttachedServer } from "./routes/attached-server.ts";
import { Strategies } from "./routes/strategies.ts";
import type { CodeProject, HttpTools } from "./runtime.ts";
import { ProviderRegistry } from "./sign-in/registry.ts";
import { Uploads } from "./uploads/uploads.ts";

export interface ProjectCodeOptions {
  readonly bundle: CodeBundle;
  readonly project: CodeProject;
  /** The plugin routes that the server handles itself. */
  readonly nativeRoutes: HttpTools["routes"];
  /** Time limit for a response, in milliseconds. */
  readonly limitMs: number;
  /** Report errors during startup and serve the rest; otherwise they are thrown. */
  readonly skipsFailures: boolean;
  /** Builds the GraphQL schema with extensions. Throws for one that cannot be built. */
  readonly buildGraphql: (extension: SchemaExtension) => void;
  /** Grants actions of the code as `config/galley.json` says, once all are known. Returns the names that no action has. */
  readonly grantActions: (actions: readonly string[]) => readonly ProjectProblem[];
  /** Called before any code runs: from now on, documents must be read and written through it. */
  readonly begin: (documents: StrapiDocuments) => void;
}

/** What code adds to the HTTP server while it starts. */
interface ServerParts {
  readonly routes: DeclaredRoute[];
  readonly middlewares: Middleware[];
  readonly attached: AttachedServer;
  readonly extraParams: ExtraParams;
  readonly strategies: Strategies;
}

export function createParts(options: ProjectCodeOptions) {
  const { bundle, project, limitMs } = options;
  const { code } = bundle;
  const { config, log, hub } = bundle.loading;
  const started: Started = {};
  hub.forwardTo(project.webhooks);
  const deadlines = new Deadlines(limitMs);
  const limit: Limit = (subject, work) => deadlines.limit(work, ({ message }) => log.error(`${subject}: ${message}`));
  const layers = createDataLayers(project, { hub, log, limit, uploads: () => uploads });
  const registries = createRegistries(() => runtime.strapi);
  const uploads = new Uploads({ runtime: () => runtime, registries, config, limit });
  const http: ServerParts = {
    routes: [],
    middlewares: [],
    attached: new AttachedServer(),
    extraParams: new ExtraParams(),
    strategies: new Strategies(),
  };
  const runtime = createRuntime(options, layers, registries, http.routes, started);
  const actions = new AdministratorActions(() => Object.values(layers.schemas.contentTypes));
  for (const strategy of administratorStrategies(runtime)) http.strategies.register("admin", strategy);
  registerMembers(registries, code, project.context.model, runtime, actions);
  return {
    started,
    actions,
    limit,
    layers,
    registries,
    uploads,
    emails: createEmails(() => runtime, config),
    http,
    runtime,
    graphql: new GraphqlExtension({ root: project.root, strapi: () => runtime.strapi, registries }),
    providers: new ProviderRegistry(project.settings),
    cron: new Cron(() => runtime.strapi, log, project.context.clock),
  };
}

export type Parts = ReturnType<typeof createParts>;
