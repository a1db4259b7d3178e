/** Links that published rows keep to documents that are not published, for when they are. They are no relations of the rows. */
import { hasVersions, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Status } from "./read-context.ts";

/** Whether a read has to leave such links out: reads of one version do not find what they lead to. */
export const mayKeepLinks = (status: Status | undefined, schema: Schema, target: Schema): boolean =>
  status === undefined && hasVersions(schema) && hasVersions(target);

/** `link`: an alias of `galley_links`; its rows are of types with versions. */
export const withoutKeptLinks = (link: string, ownerTable: string, targetTable: string): string =>
  `NOT EXISTS (SELECT 1 FROM ${quote(ownerTable)} o JOIN ${quote(targetTable)} d ON d.id = ${link}.target AND d.status = 'draft'
    WHERE o.id = ${link}.owner AND o.status = 'published')`;
