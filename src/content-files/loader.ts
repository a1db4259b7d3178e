/** Creates the entries of content files with the document service. */
import type { DocumentsContext } from "../documents/context.ts";
import { DocumentService } from "../documents/document-service.ts";
import { hashPasswords, passwordsIn } from "../documents/passwords.ts";
import type { Data, Hashes } from "../documents/rows.ts";
import { ApiError, ProjectError } from "../errors.ts";
import { DataProblem, type LinkVisitor, mapLinks } from "./data.ts";
import type { ContentEntry, ContentVersion } from "./entries.ts";
import type { MediaSource } from "./media.ts";
import { Names, type Target } from "./names.ts";
import { loadingOrder } from "./order.ts";

interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Every problem; most messages begin with the attribute that they are about. */
function messageOf({ message, details }: ApiError): string {
  const problems = details?.errors as readonly Problem[] | undefined;
  if (!problems) return message;
  return problems
    .map((problem) => {
      const named = problem.path.length === 0 || problem.message.startsWith(problem.path[0]!);
      return named ? problem.message : `${problem.path.join(".")}: ${problem.message}`;
    })
    .join("; ");
}

/** Adds file, entry and path to an error. */
function locate(error: unknown, { file, key }: ContentEntry, path: string): unknown {
  const problem =
    error instanceof DataProblem
      ? `${error.path}: ${error.message}`
      : error instanceof ApiError
        ? `${path}: ${messageOf(error)}`
        : undefined;
  return problem === undefined ? error : Object.assign(new ProjectError(file, key, problem), { cause: error });
}

function at<T>(entry: ContentEntry, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw locate(error, entry, path);
  }
}

/** An attribute whose links lead to entries that were not there when their document was made. */
interface PendingLinks {
  readonly entry: ContentEntry;
  readonly version: ContentVersion;
  readonly attributes: readonly string[];
}

/** One load: checks, then password hashing, then all writes in one transaction. */
export class ContentLoader {
  readonly #context: DocumentsContext;
  readonly #entries: ReadonlyMap<string, ContentEntry>;
  readonly #media: ReadonlyMap<string, MediaSource>;
  readonly #names: Names;
  readonly #hashes = new Map<ContentVersion, Hashes>();
  readonly #pendingLinks: PendingLinks[] = [];

  constructor(
    context: DocumentsContext,
    entries: ReadonlyMap<string, ContentEntry>,
    media: ReadonlyMap<string, MediaSource>,
  ) {
    this.#context = context;
    this.#entries = entries;
    this.#media = media;
    this.#names = new Names(context, entries);
  }

  #service(entry: ContentEntry): DocumentService {
    return new DocumentService(this.#context, entry.type);
  }

  #map(entry: ContentEntry, { data, path }: ContentVersion, visit: LinkVisitor): Data {
    return at(entry, path, () => mapLinks(this.#context.model, entry.type, data, path, visit));
  }

  /** Checks every name. Returns the entries in an order in which they can be loaded. */
  check(): ContentEntry[] {
    const needs = new Map<string, Map<string, boolean>>();
    for (const entry of this.#entries.values()) {
      const needed = needs.get(entry.type.uid) ?? new Map<string, boolean>();
      needs.set(entry.type.uid, needed);
      for (const version of entry.versions) this.#checkVersion(entry, version, needed);
    }
    const order = loadingOrder([...needs.keys()], needs);
    return order.flatMap((uid) => [...this.#entries.values()].filter(({ type }) => type.uid === uid));
  }

  #checkVersion(entry: ContentEntry, version: ContentVersion, needed: Map<string, boolean>): void {
    this.#map(entry, version, (attribute, names, path) => {
      for (const name of names) {
        if (attribute.kind === "media") {
          if (!this.#media.has(name)) throw new DataProblem(path, `there is no file content/media/${name}`);
          continue;
        }
        const uid = this.#names.check(attribute, name, entry.type, version, path);
        needed.set(uid, needed.get(uid) === true || attribute.required);
      }
      return names;
    });
  }

  /** Hashing is slow, and must not happen inside a transaction. */
  async hashPasswords(): Promise<void> {
    for (const entry of this.#entries.values()) {
      for (const version of entry.versions) {
        const passwords = at(entry, version.path, () => passwordsIn(this.#context.model, entry.type, version.data));
        if (passwords.size > 0) this.#hashes.set(version, await hashPasswords(passwords));
      }
    }
  }

  /** Expects a transaction, and entries in the order of `check`. */
  load(entries: readonly ContentEntry[], files: ReadonlyMap<string, number>): void {
    for (const entry of entries) this.#create(entry, files);
    for (const pending of this.#pendingLinks) this.#link(pending, files);
    for (const entry of entries) {
      const documentId = this.#names.documentId(entry)!;
      if (!entry.published || !entry.type.draftAndPublish) continue;
      at(entry, "cannot be published", () => this.#service(entry).publishSync({ documentId, locale: "*" }));
    }
  }

  #create(entry: ContentEntry, files: ReadonlyMap<string, number>): void {
    const service = this.#service(entry);
    let documentId: string | undefined;
    for (const version of entry.versions) {
      const attributes = new Set<string>();
      const data = this.#map(entry, version, (attribute, names, path) => {
        if (attribute.kind === "media") return names.map((name) => files.get(name));
        const targets = names.map((name) => this.#names.target(attribute, name));
        if (targets.includes(undefined)) attributes.add(path.slice(version.path.length + 1).split(/[.[]/)[0]!);
        return targets.filter((target) => target !== undefined);
      });
      const { locale } = version;
      const hashes = this.#hashes.get(version);
      const existing = documentId;
      const written = at(entry, version.path, () =>
        existing === undefined
          ? service.createSync({ data, locale }, hashes)
          : service.updateSync({ documentId: existing, data, locale }, hashes),
      );
      documentId ??= written?.documentId as string;
      if (attributes.size > 0) this.#pendingLinks.push({ entry, version, attributes: [...attributes] });
    }
    this.#names.add(entry, documentId!);
  }

  /** Writes attributes again, now that everything they lead to is there. */
  #link({ entry, version, attributes }: PendingLinks, files: ReadonlyMap<string, number>): void {
    const data = this.#map(entry, version, (attribute, names) => {
      if (attribute.kind === "media") return names.map((name) => files.get(name));
      return names.map((name) => this.#names.target(attribute, name) as Target);
    });
    const documentId = this.#names.documentId(entry)!;
    const changed = attributes.map((name) => {
      const attribute = entry.type.attributes.get(name);
      // links that were made from their other side stay
      const joins = attribute?.kind === "relation" && attribute.many && attribute.target !== undefined;
      return [name, joins ? { connect: data[name] } : data[name]] as const;
    });
    at(entry, version.path, () =>
      this.#service(entry).updateSync(
        { documentId, data: Object.fromEntries(changed), locale: version.locale },
        this.#hashes.get(version),
      ),
    );
  }
}
