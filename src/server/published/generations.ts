/**
 * Serves published content. Each archive is a generation with its own database, application and caches. The next generation is
 * opened beside the current one and replaces it between two requests; the old one is closed after its last response.
 */
import type { RequestServer } from "../../api/http-route.ts";
import { type App, createApp } from "../app.ts";
import { openProject, type Project, type ProjectOptions } from "../project/project.ts";
import type { PublishedContent } from "./load.ts";

interface Generation {
  readonly project: Project;
  readonly app: App;
  /** Number of running requests. */
  requests: number;
  /** Called after the last response, once the generation has been replaced. */
  drained: (() => void) | undefined;
}

/** The files of a response may be opened after the handler has returned it; in milliseconds. */
const FILES_MS = 2_000;
/** Maximum time to wait for running requests, in milliseconds. */
const DRAIN_MS = 60_000;

export type GenerationOptions = Omit<ProjectOptions, "memory" | "prepared" | "readOnly"> & {
  /** How long an old generation's files are kept after its last response, in milliseconds; 2,000. */
  readonly filesMs?: number | undefined;
};

export class Generations implements Pick<App, "handle" | "attachServer" | "trim"> {
  readonly #options: GenerationOptions;
  /** Old generations that are still being closed. */
  readonly #closing = new Set<Promise<void>>();
  readonly #closed = Promise.withResolvers<void>();
  #current: Generation;
  #server: RequestServer | undefined;

  constructor(content: PublishedContent, options: GenerationOptions) {
    this.#options = options;
    this.#current = this.#open(content);
  }

  get project(): Project {
    return this.#current.project;
  }

  readonly handle = async (request: Request): Promise<Response> => {
    const generation = this.#current;
    generation.requests++;
    try {
      return await generation.app.handle(request);
    } finally {
      if (--generation.requests === 0) generation.drained?.();
    }
  };

  readonly attachServer = (server: RequestServer): void => {
    this.#server = server;
    this.#current.app.attachServer(server);
  };

  readonly trim = (): void => this.#current.app.trim();

  /**
   * Serves other content from now on. `released` resolves when the files of the old content are no longer needed. Throws a
   * ProjectError; the current content stays then.
   */
  replace(content: PublishedContent): { readonly released: Promise<void> } {
    const next = this.#open(content);
    if (this.#server) next.app.attachServer(this.#server);
    const old = this.#current;
    this.#current = next;
    const released = this.#retire(old);
    this.#closing.add(released);
    void released.then(() => this.#closing.delete(released));
    return { released };
  }

  /** Closes all generations. Call it when there are no more requests. */
  async close(): Promise<void> {
    this.#closed.resolve();
    await this.#current.project.close();
    await Promise.all(this.#closing);
  }

  #open({ folder, source }: PublishedContent): Generation {
    const project = openProject(folder, {
      ...this.#options,
      memory: false,
      readOnly: true,
      prepared: () => source,
    });
    project.context.storage.serve();
    return { project, app: createApp(project), requests: 0, drained: undefined };
  }

  async #retire(old: Generation): Promise<void> {
    if (old.requests > 0) {
      const drained = new Promise<void>((resolve) => {
        old.drained = resolve;
      });
      await Promise.race([drained, Bun.sleep(DRAIN_MS), this.#closed.promise]);
    }
    await Promise.race([Bun.sleep(this.#options.filesMs ?? FILES_MS), this.#closed.promise]);
    await old.project.close();
  }
}
