/** `strapi.sanitizers` and `strapi.validators`: functions of the code for the data of the Content API. */

import { ApiError } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { isStrapiError, strapiError } from "../packages/utils.ts";

type Work = (data: unknown) => unknown;
/** Gets the content-type as code sees it. */
type MakeWork = (schema: unknown) => Work;

/** Keeps lists by path, such as `content-api.output`. As in Strapi, `set` may replace a whole branch. */
export class PathRegistry {
  readonly #root: Record<string, unknown>;

  constructor(root: Record<string, unknown>) {
    this.#root = root;
  }

  #find(path: string): unknown {
    let value: unknown = this.#root;
    for (const step of String(path).split("."))
      value = isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    return value;
  }

  /** A new list for an unknown path, which is not kept. */
  get(path: string): unknown {
    return this.#find(path) ?? [];
  }

  has(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  /** The functions of `content-api`. Fast, since every request asks for them. */
  contentApi(kind: "input" | "output"): readonly MakeWork[] {
    const branch = this.#root["content-api"];
    const list = isRecord(branch) ? branch[kind] : undefined;
    return Array.isArray(list) ? list : [];
  }

  add(path: string, work: unknown): this {
    (this.get(path) as unknown[]).push(work);
    return this;
  }

  set(path: string, value: unknown = []): this {
    const steps = String(path).split(".");
    const last = steps.pop()!;
    let branch = this.#root;
    for (const step of steps) {
      const next = Object.hasOwn(branch, step) ? branch[step] : undefined;
      branch[step] = toRecord(next);
      branch = branch[step] as Record<string, unknown>;
    }
    branch[last] = value;
    return this;
  }
}

/** Calls the functions with each document, one after the other. */
async function apply(list: readonly MakeWork[], schema: unknown, data: unknown): Promise<unknown> {
  if (Array.isArray(data)) {
    const results: unknown[] = [];
    for (const item of data) results.push(await apply(list, schema, item));
    return results;
  }
  let result = data;
  for (const work of list.map((make) => make(schema))) result = await work(result);
  return result;
}

/** As in Strapi, a ValidationError says that the body is invalid. */
function inBody(error: unknown): unknown {
  if (!isStrapiError(error, "ValidationError")) return error;
  const details = { ...toRecord(error.details), source: "body" };
  if ((error as unknown) instanceof ApiError) return strapiError("ValidationError", error.message, details);
  error.details = details;
  return error;
}

export class Sanitizers {
  readonly sanitizers = new PathRegistry({ "content-api": { input: [], output: [], query: [] } });
  readonly validators = new PathRegistry({ "content-api": { input: [], query: [] } });
  readonly #findSchema: (uid: string) => unknown;

  constructor(findSchema: (uid: string) => unknown) {
    this.#findSchema = findSchema;
  }

  get changeOutput(): boolean {
    return this.sanitizers.contentApi("output").length > 0;
  }

  /** Whether there is any function, so that core actions must call it. */
  get areUsed(): boolean {
    return (
      this.changeOutput ||
      this.sanitizers.contentApi("input").length > 0 ||
      this.validators.contentApi("input").length > 0
    );
  }

  /** `data`: a document or a list of them. Returns it unchanged if there are no functions. */
  output(uid: string, data: unknown): unknown {
    return this.#run(this.sanitizers.contentApi("output"), uid, data);
  }

  input(uid: string, data: unknown): unknown {
    return this.#run(this.sanitizers.contentApi("input"), uid, data);
  }

  /** Rejects with the error of the first function that throws. */
  async check(uid: string, data: unknown): Promise<void> {
    try {
      await this.#run(this.validators.contentApi("input"), uid, data);
    } catch (error) {
      throw inBody(error);
    }
  }

  #run(list: readonly MakeWork[], uid: string, data: unknown): unknown {
    return list.length === 0 ? data : apply(list, this.#findSchema(uid), data);
  }
}
