/** `POST /admin/api/sample`: plausible documents of a type. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { applicationError, problemsError } from "../../lib/errors.ts";
import { type Fields, requiredNumber, requiredText } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { type CollectionInput, readCollectionInput } from "../collection-input.ts";
import { checkLocale } from "../content-manager/input.ts";
import { findDocumentId } from "../content-manager/single-types.ts";
import { Writes } from "../content-manager/writes.ts";
import { listReasons } from "../refusal.ts";
import { API_PATH } from "../session/session.ts";
import { SampleGenerator } from "./document.ts";
import { Random } from "./random.ts";

/** Documents per request. Other requests are handled between two of them. */
const MAX_COUNT = 50;
const MAX_SEED = 100;
/** Maximum number of different refusal reasons in a response. */
const MAX_REASONS = 5;
/** The remaining documents are skipped after this many. */
const MAX_CONSECUTIVE_REFUSALS = 5;

interface Typed {
  readonly type: ContentType;
}

interface SampleInput extends CollectionInput {
  readonly count: number;
  readonly seed: string;
  /** How many documents of the same seed were created before. */
  readonly from: number;
}

const inRange =
  (min: number, max: number) =>
  (value: number, path: string): string | undefined =>
    Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `${path} must be a whole number from ${min} to ${max}`;

const fields: Fields = {
  count: { ...requiredNumber, tests: [inRange(1, MAX_COUNT)] },
  from: { ...requiredNumber, tests: [inRange(0, 1_000_000)] },
  seed: {
    ...requiredText,
    tests: [(value: string, path) => (value.length > MAX_SEED ? `${path} is too long` : undefined)],
  },
};

/** The document of a single type is not overwritten; it may exist in other locales. */
function writeSingle(context: DocumentsContext, writes: Writes, { type, count, locale }: SampleInput & Typed) {
  if (count !== 1) throw problemsError([{ path: "count", message: "count must be 1 for a single type" }]);
  const documentId = findDocumentId(context, type);
  if (documentId === undefined) return writes.create.bind(writes);
  if (writes.find(documentId, locale)) throw applicationError(`${type.displayName} has content already`);
  return writes.update.bind(writes, documentId);
}

async function createSamples(context: DocumentsContext, body: unknown): Promise<object> {
  const input = readCollectionInput<SampleInput>(context.model, fields, body, true);
  const { type, count, seed, from, locale, publish } = input;
  checkLocale(context, type, { locale });
  const generator = new SampleGenerator(context, locale);
  const writes = new Writes(context, type);
  const write = type.kind === "singleType" ? writeSingle(context, writes, input) : writes.create.bind(writes);
  const refused = new Set<string>();
  let made = 0;
  let refusals = 0;
  for (let index = from; index < from + count && refusals < MAX_CONSECUTIVE_REFUSALS; index++) {
    try {
      const data = generator.generate(new Random(`${seed} ${type.uid} ${index}`), type);
      await write({ ...data, locale }, publish && type.draftAndPublish ? "published" : undefined);
      made++;
      refusals = 0;
    } catch (error) {
      for (const reason of listReasons(error)) if (refused.size < MAX_REASONS) refused.add(reason);
      refusals++;
    }
  }
  return {
    made,
    refused: [...refused],
    unlinked: generator.unlinked,
    hasGivenUp: refusals >= MAX_CONSECUTIVE_REFUSALS,
  };
}

export const sampleRoutes = (context: DocumentsContext): AdminRoute[] => [
  route("POST", `${API_PATH}/sample`, async ({ body }) => ok({ data: await createSamples(context, await body()) })),
];
