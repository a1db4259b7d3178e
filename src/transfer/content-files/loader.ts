/** Creates the entries of content files with the document service. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Documents } from "../../engine/documents/documents.ts";
import { hashPasswords, passwordsIn } from "../../engine/documents/passwords.ts";
import type { Data, Hashes } from "../../engine/documents/rows.ts";
import { ApiError, ProjectError } from "../../lib/errors.ts";
import { DataProblem, type LinkVisitor, mapLinks } from "./data.ts";
import type { ContentEntry, ContentVersion } from "./entries.ts";
import type { MediaSource } from "./media.ts";
import { Names, type Target } from "./names.ts";
import { loadingOrder } from "./order.ts";

interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

/** All problems of an error in one line. Most messages start with their attribute. */
function messageOf({ message, details }: ApiError): string {
  const problems = details?.errors as readonly Problem[] | undefined;
  if (!problems) return message;
  return problems
    .map((problem) => {
      const namesAttribute = problem.path.length === 0 || problem.message.startsWith(problem.path[0]!);
      return namesAttribute ? problem.message : `${problem.path.join(".")}: ${problem.message}`;
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

function withLocation<T>(entry: ContentEntry, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw locate(error, entry, path);
  }
}

/** Attributes that link to entries that had not been created yet. */
interface PendingLinks {
  readonly entry: ContentEntry;
  readonly version: ContentVersion;
  readonly attributes: readonly string[];
}

/** Loads entries in three steps: checks, password hashing, and all writes in one transaction. */
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

  #service(entry: ContentEntry): Documents {
    return this.#context.documents(entry.type);
  }

  #mapLinks(entry: ContentEntry, { data, path }: ContentVersion, visit: LinkVisitor): Data {
    return withLocation(entry, path, () => mapLinks(this.#context.model, entry.type, data, path, visit));
  }

  /** Checks all names. Returns the entries in the order in which to load them. Throws a ProjectError. */
  check(): ContentEntry[] {
    const linkedTypes = new Map<string, Map<string, boolean>>();
    for (const entry of this.#entries.values()) {
      const linked = linkedTypes.get(entry.type.uid) ?? new Map<string, boolean>();
      linkedTypes.set(entry.type.uid, linked);
      for (const version of entry.versions) this.#checkVersion(entry, version, linked);
    }
    const order = loadingOrder([...linkedTypes.keys()], linkedTypes);
    return order.flatMap((uid) => [...this.#entries.values()].filter(({ type }) => type.uid === uid));
  }

  #checkVersion(entry: ContentEntry, version: ContentVersion, linked: Map<string, boolean>): void {
    this.#mapLinks(entry, version, (attribute, names, path) => {
      for (const name of names) {
        if (attribute.kind === "media") {
          if (!this.#media.has(name)) throw new DataProblem(path, `there is no file content/media/${name}`);
          continue;
        }
        const uid = this.#names.check(attribute, name, entry.type, version, path);
        linked.set(uid, linked.get(uid) === true || attribute.required);
      }
      return names;
    });
  }

  /** Hashes passwords before the transaction, since hashing is slow. */
  async hashPasswords(): Promise<void> {
    for (const entry of this.#entries.values()) {
      for (const version of entry.versions) {
        const passwords = withLocation(entry, version.path, () =>
          passwordsIn(this.#context.model, entry.type, version.data),
        );
        if (passwords.size > 0) this.#hashes.set(version, await hashPasswords(passwords));
      }
    }
  }

  /** Call it inside a transaction, with entries in the order that `check` returns. `files`: ids by name. */
  load(entries: readonly ContentEntry[], files: ReadonlyMap<string, number>): void {
    for (const entry of entries) this.#create(entry, files);
    for (const pending of this.#pendingLinks) this.#link(pending, files);
    for (const entry of entries) {
      const documentId = this.#names.documentId(entry)!;
      if (!entry.published || !entry.type.draftAndPublish) continue;
      withLocation(entry, "cannot be published", () => this.#service(entry).publishSync({ documentId, locale: "*" }));
    }
  }

  #create(entry: ContentEntry, files: ReadonlyMap<string, number>): void {
    const service = this.#service(entry);
    let documentId: string | undefined;
    for (const version of entry.versions) {
      const pendingAttributes = new Set<string>();
      const data = this.#mapLinks(entry, version, (attribute, names, path) => {
        if (attribute.kind === "media") return names.map((name) => files.get(name));
        const targets = names.map((name) => this.#names.target(attribute, name));
        if (targets.includes(undefined)) pendingAttributes.add(path.slice(version.path.length + 1).split(/[.[]/)[0]!);
        return targets.filter((target) => target !== undefined);
      });
      const { locale } = version;
      const hashes = this.#hashes.get(version);
      const existing = documentId;
      const document = withLocation(entry, version.path, () =>
        existing === undefined
          ? service.createSync({ data, locale }, hashes)
          : service.updateSync({ documentId: existing, data, locale }, hashes),
      );
      documentId ??= document?.documentId as string;
      if (pendingAttributes.size > 0) this.#pendingLinks.push({ entry, version, attributes: [...pendingAttributes] });
    }
    this.#names.add(entry, documentId!);
  }

  /** Writes attributes again, now that all their targets exist. */
  #link({ entry, version, attributes }: PendingLinks, files: ReadonlyMap<string, number>): void {
    const data = this.#mapLinks(entry, version, (attribute, names) => {
      if (attribute.kind === "media") return names.map((name) => files.get(name));
      return names.map((name) => this.#names.target(attribute, name) as Target);
    });
    const documentId = this.#names.documentId(entry)!;
    const changed = attributes.map((name) => {
      const attribute = entry.type.attributes.get(name);
      // keep links that were created from the other side
      const keepsOthers = attribute?.kind === "relation" && attribute.many && attribute.target !== undefined;
      return [name, keepsOthers ? { connect: data[name] } : data[name]] as const;
    });
    withLocation(entry, version.path, () =>
      this.#service(entry).updateSync(
        { documentId, data: Object.fromEntries(changed), locale: version.locale },
        this.#hashes.get(version),
      ),
    );
  }
}
