/** The resolvers of media: files of a private provider get signed URLs. Those of root fields have them already. */
import type { GraphQLFieldResolver, GraphQLResolveInfo } from "graphql";
import { isRecord } from "../../../query/key-check.ts";
import type { Document } from "../../../query/select.ts";
import type { Operation } from "../operation.ts";
import { type Collection, pick, pickNodes, picksAs } from "./pick.ts";

/** `picked`: a file, or several. They may have the selected columns only, so that they are signed by their ids. */
function withSignedUrls(picked: unknown, { services }: Operation): unknown {
  const sign = services.context.code?.current?.files?.signStored;
  const files = [picked].flat().filter(isRecord);
  if (!sign || files.length === 0) return picked;
  return sign(files.map(({ id }) => Number(id))).then((signed) => {
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
