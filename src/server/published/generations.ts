/**
 * Published content that is served: each archive is a generation with a database, an application and caches of its own. The
 * next one is opened beside the current one and takes its place between two requests; the old one ends with its last answer.
 */
import type { RequestServer } from "../../api/http-route.ts";
import { type App, createApp } from "../app.ts";
import { openProject, type Project, type ProjectOptions } from "../project.ts";
import type { PublishedContent } from "./load.ts";

interface Generation {
  readonly project: Project;
  readonly app: App;
  /** Requests that have not been answered. */
  requests: number;
  /** Called with the last answer, once the generation is not the current one. */
  drained: (() => void) | undefined;
}

/** Files of an answer may be opened after the handler has returned it. */
const LINGER_MS = 2_000;
/** No request lives longer; one that does is not waited for. */
const DRAIN_MS = 60_000;

export type GenerationOptions = Omit<ProjectOptions, "memory" | "prepared" | "readOnly"> & {
  /** How long files of an old generation are kept after its last answer; 2 s. */
  readonly lingerMs?: number | undefined;
};

export class Generations implements Pick<App, "handle" | "listensAt" | "trim"> {
  readonly #options: GenerationOptions;
  /** Old generations that are still being closed. */
  readonly #closing = new Set<Promise<void>>();
  readonly #end = Promise.withResolvers<void>();
  #current: Generation;
  #port: RequestServer | undefined;

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

  readonly listensAt = (server: RequestServer): void => {
    this.#port = server;
    this.#current.app.listensAt(server);
  };

  readonly trim = (): void => this.#current.app.trim();

  /**
   * Serves other content from now on. `released` is fulfilled when the files of the old one are no
   * longer needed. Throws a ProjectError; nothing has changed then.
   */
  replace(content: PublishedContent): { readonly released: Promise<void> } {
    const next = this.#open(content);
    if (this.#port) next.app.listensAt(this.#port);
    const old = this.#current;
    this.#current = next;
    const released = this.#retire(old);
    this.#closing.add(released);
    void released.then(() => this.#closing.delete(released));
    return { released };
  }

  /** Nothing comes in any more, and everything has been answered. */
  async close(): Promise<void> {
    this.#end.resolve();
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
      await Promise.race([drained, Bun.sleep(DRAIN_MS), this.#end.promise]);
    }
    await Promise.race([Bun.sleep(this.#options.lingerMs ?? LINGER_MS), this.#end.promise]);
    await old.project.close();
  }
}
