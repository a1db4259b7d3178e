/** Other routes of `/i18n`: available locales, settings, and the attributes that the locales of a document share. */
import { isoLocales } from "../../engine/access/iso-locales.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { rowId } from "../../engine/media/row-id.ts";
import type { Document } from "../../engine/query/select.ts";
import type { Attribute, ContentType } from "../../engine/schema/model.ts";
import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import { applicationError, forbidden, notFound } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { flag, objectBody, objectOf, requiredText } from "../body.ts";
import { type AdminRoute, ok, refusedRoute, route } from "../call.ts";
import { readVersions } from "../content-manager/versions.ts";
import { wholeQuery } from "../content-manager/whole-query.ts";
import { readRows } from "../read-rows.ts";
import type { AdminServices } from "../services.ts";

const SETTINGS = "plugin_i18n_settings";

/** Tags of the languages that Strapi offers. */
export const isoCodes: readonly string[] = isoLocales.map(({ code }) => code);

const settingsShape: Shape = objectOf({ aiLocalizations: flag });

/** Whether all locales of a document have the same value of an attribute. */
const isShared = (attribute: Attribute): boolean =>
  !attribute.localized &&
  !attribute.system &&
  attribute.kind !== "relation" &&
  attribute.definition.type !== "uid" &&
  attribute.definition.visible !== false;

/** Ids of components are those of one version. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isRecord(value)) return value;
  const { id: _, ...rest } = value;
  return rest;
}

/** The initial data of a new locale of a document, and its other locales. Throws a NotFoundError. */
function sharedFields(context: DocumentsContext, type: ContentType, id: unknown): unknown {
  const query = { ...wholeQuery(context.model, type, "document"), limit: 1 };
  const row = rowId(id);
  if (type.kind === "collectionType" && row === undefined) throw notFound();
  const scope = type.kind === "singleType" ? { locales: undefined } : { locales: undefined, ids: [row!] };
  const [entry] = readRows(context, undefined, query, scope);
  if (!entry) throw notFound();
  const shared = [...type.attributes.values()].filter(isShared).map(({ name, kind }) => {
    const value = entry[name];
    return [name, kind === "component" || kind === "zone" ? withoutIds(value) : value];
  });
  const status = type.draftAndPublish ? (entry.publishedAt === null ? "draft" : "published") : undefined;
  const others = readVersions(context, type, [entry.documentId as string]).filter(
    (version) =>
      version.locale !== entry.locale && (!status || (version.publishedAt === null) === (status === "draft")),
  );
  const localizations = [...others, entry].map((version: Document) => {
    const { id: versionId, locale, publishedAt } = version;
    return { id: versionId, locale, publishedAt };
  });
  return { nonLocalizedFields: Object.fromEntries(shared), localizations };
}

export function localeSettingsRoutes({ context }: AdminServices): AdminRoute[] {
  const { storage, model } = context;
  return [
    route("GET", "/i18n/iso-locales", () => ok(isoLocales)),
    route("GET", "/i18n/settings", () => ok({ data: storedValue(storage, SETTINGS) ?? null })),
    route("PUT", "/i18n/settings", async (call) => {
      const data = checkBody(settingsShape, await objectBody(call));
      await storage.write(() => setStored(storage, SETTINGS, data));
      return ok({ data });
    }),
    route("POST", "/i18n/content-manager/actions/get-non-localized-fields", async ({ body }) => {
      const input = await body();
      const type = model.types.get(String(input.model));
      const id: Shape = {
        type: "strapiID",
        strict: true,
        required: type?.kind !== "singleType",
        nullable: type?.kind === "singleType",
      };
      const { model: uid, id: entryId, locale } = input;
      checkBody(objectOf({ model: requiredText, id, locale: requiredText }), { model: uid, id: entryId, locale });
      if (!type) throw forbidden();
      if (!type.localized) throw applicationError(`Model ${type.uid} is not localized`);
      return ok(sharedFields(context, type, entryId));
    }),
    ...["collection-types/:contentType/:documentId", "single-types/:contentType"].map((path) =>
      // there are no translation jobs, as in a reference without the service
      refusedRoute("GET", `/i18n/ai-localization-jobs/${path}`, () => notFound()),
    ),
  ];
}
