/** The fields that update and delete files. Uploads are possible by REST only. */

import { GraphQLID, GraphQLInputObjectType, GraphQLNonNull, GraphQLString } from "graphql";
import { parseRowId } from "../../../engine/access/users.ts";
import type { Document } from "../../../engine/query/select.ts";
import { FILE } from "../../../engine/schema/builtin/index.ts";
import { contentType } from "../../../engine/schema/model.ts";
import { toRecord } from "../../../lib/is-record.ts";
import { readRow } from "../plan/read.ts";
import type { RootField } from "../plan/root-field.ts";
import { type RootFields, rootField } from "./root-resolver.ts";
import type { Types } from "./types.ts";

const info = new GraphQLInputObjectType({
  name: "FileInfoInput",
  fields: { name: { type: GraphQLString }, alternativeText: { type: GraphQLString }, caption: { type: GraphQLString } },
});

async function update(field: RootField): Promise<Document | null> {
  const id = parseRowId(field.args.id);
  // throws for an unknown file
  await field.operation.services.media.update(id, toRecord(field.args.info));
  return readRow(field, id);
}

async function remove(field: RootField): Promise<Document | null> {
  const id = parseRowId(field.args.id);
  const file = readRow(field, id);
  await field.operation.services.media.delete(id);
  return file;
}

export function mediaMutations(types: Types): RootFields {
  const type = contentType(types.model, FILE);
  const file = types.object(type);
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
