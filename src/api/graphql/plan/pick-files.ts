/** The resolvers of media: files of a private provider get signed URLs. Those of root fields have them already. */
import type { GraphQLFieldResolver, GraphQLResolveInfo } from "graphql";
import type { FileServices } from "../../../engine/media/file-services.ts";
import type { Document } from "../../../engine/query/select.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { Operation } from "../operation.ts";
import { type Collection, pick, pickNodes, picksAs } from "./pick.ts";

type Sign = NonNullable<FileServices["signStored"]>;

interface Batch {
  readonly ids: Set<number>;
  readonly signed: ReturnType<Sign>;
}

const batches = new WeakMap<Operation, Batch>();

/** Signs the files of all documents of a level at once: their resolvers run before the next microtask. */
function signInBatch(operation: Operation, sign: Sign, ids: readonly number[]): ReturnType<Sign> {
  let batch = batches.get(operation);
  if (!batch) {
    const all = new Set<number>();
    const signed = Promise.resolve().then(() => {
      batches.delete(operation);
      return sign([...all]);
    });
    batch = { ids: all, signed };
    batches.set(operation, batch);
  }
  for (const id of ids) batch.ids.add(id);
  return batch.signed;
}

/** `picked`: a file, or several. They may have the selected columns only, so that they are signed by their ids. */
function withSignedUrls(picked: unknown, operation: Operation): unknown {
  const sign = operation.services.media.services?.signStored;
  const files = [picked].flat().filter(isRecord);
  if (!sign || files.length === 0) return picked;
  const ids = files.map(({ id }) => Number(id));
  return signInBatch(operation, sign, ids).then((signed) => {
    const withUrls = (file: unknown): unknown => {
      const found = isRecord(file) ? signed.get(Number(file.id)) : undefined;
      return found ? { ...(file as Document), url: found.url, formats: found.formats } : file;
    };
    return Array.isArray(picked) ? picked.map(withUrls) : withUrls(picked);
  });
}

type Resolve<Source> = (source: Source, args: unknown, operation: Operation, info: GraphQLResolveInfo) => unknown;

const signing = <Source>(resolve: Resolve<Source>): GraphQLFieldResolver<Source, Operation> =>
  picksAs(
    (source: Source, args: unknown, operation: Operation, info: GraphQLResolveInfo) =>
      withSignedUrls(resolve(source, args, operation, info), operation),
    resolve,
  );

export const pickFiles = signing<Document>(pick);
export const pickFileNodes = signing<Collection>(pickNodes);
