/** Makes documents for tests: plausible values, valid by the schema, the same for the same seed. */
import { type MissingLink, SampleGenerator, type UsedValues } from "../admin/sample/document.ts";
import { Random } from "../admin/sample/random.ts";
import type { Data } from "../engine/documents/documents.ts";
import { apiTypes, type ContentType, type MediaAttribute, type RelationAttribute } from "../engine/schema/model.ts";
import { isRecord } from "../lib/is-record.ts";
import { hintFor } from "../lib/nearest.ts";
import type { Project } from "../server/project/project.ts";

/** Required relations lead to documents that are made first, and theirs, up to this depth. */
const MAX_DEPTH = 5;

/** The smallest files of each of the `allowedTypes`. */
const FILES: Readonly<Record<string, { readonly filename: string; readonly type: string; readonly bytes: string }>> = {
  images: {
    filename: "sample.png",
    type: "image/png",
    bytes: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  },
  files: { filename: "sample.txt", type: "text/plain", bytes: "c2FtcGxl" },
  videos: { filename: "sample.mp4", type: "video/mp4", bytes: "AAAAGGZ0eXBpc29tAAACAGlzb21pc28y" },
  audios: { filename: "sample.mp3", type: "audio/mpeg", bytes: "SUQzBAAAAAAAAP/7kAAAAAAAAAAA" },
};

/** By uid or singular name. Throws an Error that suggests a name. */
function findType({ model }: Project, name: string): ContentType {
  const types = apiTypes(model);
  const found = types.find(({ uid, singularName }) => uid === name || singularName === name);
  if (found) return found;
  const names = types.map(({ singularName }) => singularName);
  throw new Error(`There is no content-type "${name}"${hintFor(String(name), names, 3)}`);
}

/** A document that is made, and those that it needs, which are written before it. */
interface Making {
  readonly status: "draft" | "published";
  readonly depth: number;
  readonly used: UsedValues;
  /** Documents by uid, and files by type, that several links may lead to. */
  readonly shared: Map<string, unknown>;
}

export class Factories {
  readonly #project: () => Project;
  readonly #seed: string;
  /** Documents that were built of each type. */
  readonly #counts: Map<string, number>;

  constructor(project: () => Project, seed: string, counts?: ReadonlyMap<string, number>) {
    this.#project = project;
    this.#seed = seed;
    this.#counts = new Map(counts);
  }

  /** For a branch, which goes on from here. */
  copy(project: () => Project): Factories {
    return new Factories(project, this.#seed, this.#counts);
  }

  restart(): void {
    this.#counts.clear();
  }

  /** Data of a document without what it must be linked to, and does not exist. */
  build(name: string, data: Data = {}): Data {
    return this.#build(findType(this.#project(), name), data, new Map()).data;
  }

  #build(type: ContentType, data: Data, used: UsedValues) {
    if (!isRecord(data)) throw new TypeError("The data of a document must be an object");
    const index = this.#counts.get(type.uid) ?? 0;
    this.#counts.set(type.uid, index + 1);
    const generator = new SampleGenerator(this.#project().context, undefined, used);
    const generated = generator.generate(new Random(`${this.#seed} ${type.uid} ${index}`), type);
    const isReplaced = ({ attribute, data: place }: MissingLink): boolean =>
      place === generated && attribute.name in data;
    const missing = generator.missing.filter((link) => link.attribute.required && !isReplaced(link));
    return { data: { ...generated, ...data }, generated, missing };
  }

  /** Rejects with a ValidationError for data that the type refuses. */
  async make(name: string, data: Data = {}, status?: "draft" | "published"): Promise<Data> {
    return this.#make(findType(this.#project(), name), data, {
      status: status ?? "published",
      depth: 0,
      used: new Map(),
      shared: new Map(),
    });
  }

  async #make(type: ContentType, data: Data, making: Making): Promise<Data> {
    const { context } = this.#project();
    const built = this.#build(type, data, making.used);
    for (const { attribute, data: place } of built.missing) {
      const link =
        attribute.kind === "media"
          ? await this.#makeFile(attribute, making)
          : await this.#makeTarget(attribute, making);
      const value = attribute.many && link !== undefined ? [link] : link;
      (place === built.generated ? built.data : place)[attribute.name] = value;
    }
    return await context.documents(type).create({ data: built.data, status: making.status });
  }

  /** The id of a document; undefined beyond a depth. */
  async #makeTarget({ target = "", exclusive }: RelationAttribute, making: Making): Promise<unknown> {
    const type = this.#project().context.model.types.get(target);
    if (!exclusive && making.shared.has(target)) return making.shared.get(target);
    const depth = making.depth + 1;
    if (!type || depth > MAX_DEPTH) return undefined;
    const { documentId } = await this.#make(type, {}, { ...making, depth });
    making.shared.set(target, documentId);
    return documentId;
  }

  /** The id of a file. */
  async #makeFile({ definition: { allowedTypes } }: MediaAttribute, { shared }: Making): Promise<unknown> {
    const kinds = (Array.isArray(allowedTypes) ? allowedTypes : []).map(String);
    const kind = kinds.find((name) => Object.hasOwn(FILES, name)) ?? "images";
    if (shared.has(kind)) return shared.get(kind);
    const { filename, type, bytes } = FILES[kind]!;
    const media = this.#project().media();
    const file = await media.receive({ filename, type, stream: new Blob([Buffer.from(bytes, "base64")]).stream() });
    const [stored] = await media.create([{ file: await media.accept(file), info: {} }]);
    shared.set(kind, stored!.id);
    return stored!.id;
  }
}
