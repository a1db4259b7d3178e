/** The tools of Strapi's content manager: eight for each collection type, and six for each single type; fewer without drafts. */
import { type ZodType, z } from "zod";
import { isDisplayed } from "../../../admin/content-manager/types.ts";
import { listLocales } from "../../../admin/i18n/locales.ts";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { RawSchema } from "../../../engine/schema/definition.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { once } from "../../../lib/once.ts";
import { type LazyTool, lazyTool } from "../tool.ts";
import { dataInput } from "./data-schema.ts";
import { createDocumentTools, type DocumentTools } from "./documents.ts";
import { comparedAttributes, filtersInput, sortInput } from "./list-schemas.ts";
import { type Outputs, outputsOf } from "./output-schema.ts";

/** The schemas that tools of a type share. */
interface Inputs {
  readonly documentId: Readonly<Record<string, ZodType>>;
  readonly locale: ZodType;
  readonly status: ZodType;
  readonly data: () => ZodType;
  readonly list: () => Readonly<Record<string, ZodType>>;
}

interface Operation {
  /** Of the tool; the operation before the type by default. */
  readonly name?: (slug: string) => string;
  readonly note?: string;
  readonly input: (inputs: Inputs) => Readonly<Record<string, ZodType>>;
  /** A document by default. */
  readonly output?: keyof Outputs;
  readonly run: keyof DocumentTools;
}

const document = ({ documentId, locale }: Inputs) => ({ ...documentId, locale });
const PUBLISHED = " The row of the version that is returned may have another id; documentId stays.";

const get: Operation = { input: (inputs) => ({ ...document(inputs), status: inputs.status }), run: "get" };
const remove: Operation = { input: document, output: "removed", run: "remove" };

const draftOperations: Readonly<Record<string, Operation>> = {
  publish: { note: PUBLISHED, input: document, run: "publish" },
  unpublish: {
    note: PUBLISHED,
    input: (inputs) => ({
      ...document(inputs),
      discardDraft: z.boolean().optional().describe("Whether the draft becomes what was published"),
    }),
    run: "unpublish",
  },
  discard_draft: {
    name: (slug) => `discard_${slug}_draft`,
    note: " The draft becomes what is published.",
    input: document,
    run: "discard",
  },
};

const operations: Readonly<Record<ContentType["kind"], Readonly<Record<string, Operation>>>> = {
  collectionType: {
    list: { input: ({ list }) => list(), output: "list", run: "list" },
    get,
    create: { input: ({ data, locale }) => ({ data: data(), locale }), run: "create" },
    update: { input: ({ documentId, data, locale }) => ({ ...documentId, data: data(), locale }), run: "update" },
    delete: remove,
  },
  singleType: {
    get,
    write: {
      note: " Creates the document, or updates its draft.",
      input: ({ data, locale }) => ({ data: data(), locale }),
      run: "write",
    },
    delete: remove,
  },
};

/** `api::article.article` is `article`, `api::desk.note` is `desk_note`, `plugin::a.b` is `plugin-a_b`. */
function toolSlug(uid: string): string {
  const [namespace = "", name = ""] = uid.toLowerCase().split("::");
  const parts = name.split(".");
  if (namespace !== "api") return `${namespace}-${parts.join("_")}`;
  return parts[0] === parts[1] ? parts[0]! : parts.join("_");
}

function localeInput({ localized }: ContentType, codes: readonly string[], defaultLocale: string): ZodType {
  if (!localized) return z.string().optional().describe("Has no effect: the content-type is not localized");
  const code = z.enum(codes).optional();
  return (codes.includes(defaultLocale) ? code.default(defaultLocale) : code).describe("Code of a locale");
}

function inputsOf(context: DocumentsContext, type: ContentType): Inputs {
  const codes = listLocales(context).map(({ code }) => String(code));
  const locale = localeInput(type, codes, context.defaultLocale());
  const status = z.enum(["draft", "published"]).optional().describe("draft by default");
  return {
    documentId:
      type.kind === "singleType" ? {} : { documentId: z.string().min(1).describe("The same for all versions") },
    locale,
    status,
    data: () => dataInput(context.model, type),
    list: () => {
      const compared = comparedAttributes(type);
      const page = z.number().int().min(1).optional();
      return {
        locale,
        status,
        page,
        pageSize: z.number().int().min(1).max(100).optional(),
        sort: sortInput(compared),
        filters: filtersInput(compared),
      };
    },
  };
}

/** Built when a tool is first listed or called. */
export function contentTools(context: DocumentsContext, schema: RawSchema): LazyTool[] {
  return schema.types.filter(isDisplayed).flatMap(({ uid, folder }) => {
    const type = context.model.types.get(uid);
    if (!type) return [];
    const slug = toolSlug(uid);
    const rows = { ...operations[type.kind], ...(type.draftAndPublish ? draftOperations : {}) };
    const tools = createDocumentTools(context, type);
    const outputs = once(() => outputsOf(type, context.model.creator.uid));
    return Object.entries(rows).map(([verb, operation]): LazyTool => {
      const name = operation.name?.(slug) ?? `${verb}_${slug}`;
      return lazyTool(name, () => ({
        name,
        title: `Content: ${folder} — ${verb}`,
        description: `Content-manager ${verb} for ${uid}.${operation.note ?? ""}`,
        input: z.object(operation.input(inputsOf(context, type))),
        output: outputs()[operation.output ?? "document"],
        run: (args) => tools[operation.run](args),
      }));
    });
  });
}
