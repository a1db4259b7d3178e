/** The webhooks of an open project. Their code is loaded with the first write. */
import { join } from "node:path";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext, WriteReports } from "../../engine/documents/context.ts";
import type { Model } from "../../engine/schema/model.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { ContentEvents } from "../../engine/webhooks/content-events.ts";
import type { Webhook } from "../../engine/webhooks/webhook.ts";
import type { WebhookCall, Webhooks, WebhookTest } from "../../engine/webhooks/webhooks.ts";
import type { Clock } from "../../lib/clock.ts";
import { once } from "../../lib/once.ts";

interface WebhookOptions {
  readonly model: Model;
  readonly memory: boolean;
  readonly clock: Clock;
  readonly testWebhooks?: readonly Webhook[] | undefined;
  readonly onWebhook?: ((call: WebhookCall) => void) | undefined;
  /** Where the last requests are kept; undefined: in memory. */
  readonly folder: string | undefined;
  /** Prints a line on the command line. */
  readonly announce?: ((line: string) => void) | undefined;
}

export class ProjectWebhooks {
  readonly #create: () => Webhooks;
  #webhooks: Webhooks | undefined;
  #events: ContentEvents | undefined;

  constructor(storage: Storage, settings: Settings, options: WebhookOptions) {
    const { announce, memory: inMemory, model, clock, folder, testWebhooks: webhooks, onWebhook: onCall } = options;
    const deliveriesFile = folder && join(folder, "webhook-deliveries.db");
    const test: WebhookTest | undefined = webhooks && onCall && { webhooks, onCall };
    this.#create = () => {
      const { Webhooks: Created } =
        require("../../engine/webhooks/webhooks.ts") as typeof import("../../engine/webhooks/webhooks.ts");
      // loaded with the first request to a webhook
      const createTags = once(() => {
        const { createStaleTags } =
          require("../../engine/webhooks/stale-tags.ts") as typeof import("../../engine/webhooks/stale-tags.ts");
        return createStaleTags(storage, model, clock);
      });
      const staleTags = settings.galley.cacheTags === false ? {} : { staleTags: createTags };
      const log = announce ?? ((line) => console.error(`galley: ${line}`));
      return new Created(storage, settings, log, { clock, inMemory, test, deliveriesFile, ...staleTags });
    };
  }

  get current(): Webhooks {
    this.#webhooks ??= this.#create();
    return this.#webhooks;
  }

  /** For a project without code. */
  createReports(context: DocumentsContext): WriteReports {
    const created = (): WriteReports => {
      const { createContentEvents } =
        require("../../engine/webhooks/content-events.ts") as typeof import("../../engine/webhooks/content-events.ts");
      this.#events ??= createContentEvents(context, this.current);
      return this.#events.reports;
    };
    const isUsed = (): boolean => this.current.hasListeners;
    return {
      get isUsed() {
        return isUsed();
      },
      report: (...write) => created().report(...write),
      reportFiles: (...change) => created().reportFiles(...change),
      settled: async () => {
        this.#events?.flush();
        await this.#events?.reports.settled();
      },
    };
  }

  /** Resolves when no request is running or waiting. */
  async idle(): Promise<void> {
    await this.#webhooks?.queue.idle();
  }

  async close(): Promise<void> {
    this.#events?.flush();
    await this.#webhooks?.close();
  }
}
