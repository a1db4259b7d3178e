/** Makes documents for tests: plausible values, valid by the schema, the same for the same seed. */
import { SampleGenerator } from "../admin/sample/document.ts";
import { Random } from "../admin/sample/random.ts";
import type { Data } from "../engine/documents/documents.ts";
import { apiTypes, type ContentType } from "../engine/schema/model.ts";
import { nearest } from "../lib/nearest.ts";
import type { Project } from "../server/project/project.ts";

/** Required relations lead to documents that are made first, and theirs, up to this depth. */
const MAX_DEPTH = 5;

/** By uid or singular name. Throws an Error that suggests a name. */
function findType({ model }: Project, name: string): ContentType {
  const types = apiTypes(model);
  const found = types.find(({ uid, singularName }) => uid === name || singularName === name);
  if (found) return found;
  const suggestion = nearest(
    name,
    types.map(({ singularName }) => singularName),
    3,
  );
  throw new Error(
    `There is no content-type "${name}"${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`,
  );
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
    return this.#build(findType(this.#project(), name), data);
  }

  #build(type: ContentType, data: Data): Data {
    const index = this.#counts.get(type.uid) ?? 0;
    this.#counts.set(type.uid, index + 1);
    const generator = new SampleGenerator(this.#project().context, undefined);
    return { ...generator.generate(new Random(`${this.#seed} ${type.uid} ${index}`), type), ...data };
  }

  /** Rejects with a ValidationError for data that the type refuses. */
  async make(name: string, data: Data = {}, status?: "draft" | "published"): Promise<Data> {
    return this.#make(findType(this.#project(), name), data, status ?? "published", 0);
  }

  async #make(type: ContentType, data: Data, status: "draft" | "published", depth: number): Promise<Data> {
    const { context } = this.#project();
    const built = this.#build(type, data);
    const linked: Data = {};
    for (const attribute of type.attributes.values()) {
      if (attribute.kind !== "relation" || !attribute.required || built[attribute.name] !== undefined) continue;
      const target = attribute.target === undefined ? undefined : context.model.types.get(attribute.target);
      if (target && depth < MAX_DEPTH)
        linked[attribute.name] = (await this.#make(target, {}, status, depth + 1)).documentId;
    }
    const document = await context.documents(type).create({ data: { ...built, ...linked }, status });
    return document as Data;
  }
}
