/** The fields that change and delete files. There is none that uploads: files come by REST. */
import { GraphQLID, GraphQLInputObjectType, GraphQLNonNull, GraphQLString } from "graphql";
import { notFound } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Document } from "../../query/select.ts";
import { FILE } from "../../schema/builtin/index.ts";
import { contentType } from "../../schema/model.ts";
import { forbidden } from "./plan/planner.ts";
import { type RootField, readRow } from "./plan/read.ts";
import { objectType } from "./schema/object-types.ts";
import type { RootFields } from "./schema/queries.ts";
import { rootField } from "./schema/root-field.ts";
import type { Types } from "./schema/types.ts";

export interface FileInfo {
  readonly name?: string | null;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
}

/** What the fields need of the layer that keeps files. Ids are those of rows. */
export interface MediaOperations {
  /** Changes what `info` names. Only called for files that exist. */
  update(id: number, info: FileInfo): Promise<void>;
  /** Removes the record, its links and the files on disk. Only called for files that exist. */
  delete(id: number): Promise<void>;
}

const info = new GraphQLInputObjectType({
  name: "FileInfoInput",
  fields: { name: { type: GraphQLString }, alternativeText: { type: GraphQLString }, caption: { type: GraphQLString } },
});

function operations({ operation }: RootField): MediaOperations {
  const { media } = operation.services;
  if (!media) throw forbidden();
  return media;
}

/** Files are named by their row's id; a documentId names none. */
const rowId = ({ args }: RootField): number => (/^\d{1,15}$/.test(String(args.id)) ? Number(args.id) : -1);

async function update(field: RootField): Promise<Document | null> {
  const media = operations(field);
  const id = rowId(field);
  if (!readRow(field, id, "published", [])) throw notFound("Entity not found");
  await media.update(id, isRecord(field.args.info) ? { ...field.args.info } : {});
  return readRow(field, id, "published");
}

async function remove(field: RootField): Promise<Document | null> {
  const media = operations(field);
  const id = rowId(field);
  const file = readRow(field, id, "published");
  if (file) await media.delete(id);
  return file;
}

export function mediaMutations(types: Types): RootFields {
  const type = contentType(types.model, FILE);
  const file = objectType(types, type);
  const id = { type: new GraphQLNonNull(GraphQLID) };
  return {
    updateUploadFile: {
      type: new GraphQLNonNull(file),
      args: { id, info: { type: info } },
      resolve: rootField(type, "plugin::upload.content-api.upload", update),
    },
    deleteUploadFile: {
      type: file,
      args: { id },
      resolve: rootField(type, "plugin::upload.content-api.destroy", remove),
    },
  };
}
