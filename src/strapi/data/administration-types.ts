/** The types of Strapi that Galley has no tables for, as code sees them. Resolved when they are first read. */
import { administrationTypes } from "../../engine/schema/builtin/administration.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { resolveModel } from "../../engine/schema/resolve.ts";
import { once } from "../../lib/once.ts";

const model = once(() =>
  resolveModel({ types: administrationTypes, components: [] }, { privateAttributes: [], customFields: {} }),
);

export const administrationType = (uid: string): ContentType | undefined => model().types.get(uid);

/** Their uids, in the order of Strapi. */
export const visibleUids: readonly string[] = administrationTypes.map(({ uid }) => uid);
