/** What a project says about previews: `preview` of `config/admin`, and the addresses of published documents in `config/galley.json`. */
import { ConfigFiles } from "../engine/config/files.ts";
import type { Settings } from "../engine/config/settings.ts";
import { ProjectReport } from "../lib/errors.ts";
import { toRecord } from "../lib/is-record.ts";

export interface PreviewParams {
  readonly documentId?: unknown;
  readonly locale?: unknown;
  readonly status: unknown;
}

export interface PreviewSettings {
  readonly isEnabled: boolean;
  /** The project's function from a document to its URL; undefined without one. */
  readonly handler: ((uid: string, params: PreviewParams) => unknown) | undefined;
  /** Sources of a content security policy: the origins that the page may show in a frame. */
  readonly origins: readonly string[];
}

/** The admin page's own origin must not be one: it would give the framed site its session. So there is no `'self'`. */
const ORIGIN = /^(https?):\/\/(\*\.)?([\w.-]+)(?::(\d{1,5}|\*))?\/?$/i;

export function readPreviewSettings(root: string, settings: Settings): PreviewSettings {
  const { preview } = new ConfigFiles(root, settings.environment, new ProjectReport()).section("admin").section;
  const options = toRecord(preview);
  const { handler, allowedOrigins } = toRecord(options.config);
  const origins = [allowedOrigins ?? []].flat().filter((item) => typeof item === "string" && ORIGIN.test(item));
  return {
    isEnabled: options.enabled !== false,
    handler: typeof handler === "function" ? (handler as PreviewSettings["handler"]) : undefined,
    origins: (origins as string[]).map((origin) => origin.replace(/\/$/, "")),
  };
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Whether a frame may show the URL. */
export function isFramed({ origins }: PreviewSettings, { protocol, hostname, port }: URL): boolean {
  const defaultPort = DEFAULT_PORTS[protocol];
  return origins.some((origin) => {
    const [, scheme = "", wildcard, host = "", allowedPort = defaultPort] = ORIGIN.exec(origin) ?? [];
    const isHost = wildcard ? hostname.endsWith(`.${host.toLowerCase()}`) : hostname === host.toLowerCase();
    const isPort = allowedPort === "*" || allowedPort === (port || defaultPort);
    return `${scheme.toLowerCase()}:` === protocol && isHost && isPort;
  });
}
