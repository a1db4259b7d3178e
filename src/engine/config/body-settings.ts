/** `strapi::body`: which bodies are parsed, how, and up to which size. */
import type { ProjectReport } from "../../lib/errors.ts";
import { isSection, type Section } from "./files.ts";
import { parseSize } from "./parse-size.ts";
import { type QueryOptions, queryOptions, unusedQueryOptions } from "./query-options.ts";
import { Reader } from "./reader.ts";
import { type UnusedOption, unusedOption } from "./unused-option.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "HEAD", "DELETE"];
const MEBIBYTE = 1_048_576;

export const BODY_DEFAULTS = {
  /** Maximum sizes, in bytes. */
  limits: { json: MEBIBYTE, form: 56 * 1024, text: 56 * 1024 },
  /** Other bodies are not parsed. */
  parses: { json: true, form: true, text: true, multipart: true },
  /** Bodies of other methods count as an empty object. */
  methods: ["POST", "PUT", "PATCH"] as readonly string[],
  /** Refuse JSON that is neither an object nor a list. */
  strictJson: true,
  /** A label of the Encoding Standard. */
  encoding: "utf-8",
  /** Options of qs for url-encoded bodies; undefined: the defaults. */
  formQuery: undefined as QueryOptions | undefined,
  /** Keep the unparsed text of bodies as well. */
  includeUnparsed: false,
  /** Limits of multipart bodies. Sizes: in bytes; Infinity: none. */
  forms: {
    maxFields: 1000,
    /** Of all fields together. */
    maxFieldsSize: 4_000_000,
    /** Of all files together. */
    minFileSize: 0,
    maxFilesSize: Number.POSITIVE_INFINITY,
    allowEmptyFiles: true,
  },
};

export type BodySettings = Readonly<typeof BODY_DEFAULTS>;
export type FormSettings = Readonly<BodySettings["forms"]>;

/** The admin page and GraphQL need bodies that a project does not parse; only limits of sizes hold. */
export const withLimitsOnly = ({ limits, forms: { maxFilesSize } }: BodySettings): BodySettings => ({
  ...BODY_DEFAULTS,
  limits,
  forms: { ...BODY_DEFAULTS.forms, maxFilesSize },
});

function parsedMethods(reader: Reader): readonly string[] {
  const methods = reader.textList("parsedMethods");
  if (!methods || methods.every((method) => METHODS.includes(method))) return methods ?? BODY_DEFAULTS.methods;
  reader.ignore("parsedMethods", `must list some of ${METHODS.join(", ")}`);
  return BODY_DEFAULTS.methods;
}

function textEncoding(reader: Reader): string {
  const encoding = reader.text("encoding") ?? BODY_DEFAULTS.encoding;
  try {
    return new TextDecoder(encoding as Bun.Encoding).encoding;
  } catch {
    reader.ignore("encoding", `must be an encoding, not ${JSON.stringify(encoding)}`);
    return BODY_DEFAULTS.encoding;
  }
}

const { forms: formDefaults, parses: parseDefaults } = BODY_DEFAULTS;

const formSettings = (reader: Reader): FormSettings => ({
  // none, as in Strapi
  maxFields: reader.number("formidable.maxFields", 0) || formDefaults.maxFields,
  maxFieldsSize: reader.number("formidable.maxFieldsSize", 0) ?? formDefaults.maxFieldsSize,
  minFileSize: reader.number("formidable.minFileSize", 0) ?? formDefaults.minFileSize,
  maxFilesSize: reader.number("formidable.maxFileSize", 0) ?? formDefaults.maxFilesSize,
  allowEmptyFiles: reader.flag("formidable.allowEmptyFiles") ?? formDefaults.allowEmptyFiles,
});

export function bodySettings(config: Section, file: string, report: ProjectReport): BodySettings {
  const reader = new Reader(config, file, report);
  const readSize = (key: keyof Section): number | undefined =>
    report.attempt(() => parseSize(config[key], file, `strapi::body.${key}`));
  const { limits } = BODY_DEFAULTS;
  return {
    limits: {
      json: readSize("jsonLimit") ?? limits.json,
      form: readSize("formLimit") ?? limits.form,
      text: readSize("textLimit") ?? limits.text,
    },
    parses: {
      json: reader.flag("json") ?? parseDefaults.json,
      form: reader.flag("urlencoded") ?? parseDefaults.form,
      text: reader.flag("text") ?? parseDefaults.text,
      multipart: reader.flag("multipart") ?? parseDefaults.multipart,
    },
    methods: parsedMethods(reader),
    strictJson: reader.flag("jsonStrict") ?? BODY_DEFAULTS.strictJson,
    encoding: textEncoding(reader),
    formQuery: isSection(config.queryString)
      ? queryOptions(config.queryString, "queryString", file, report)
      : BODY_DEFAULTS.formQuery,
    includeUnparsed: reader.flag("includeUnparsed") ?? BODY_DEFAULTS.includeUnparsed,
    forms: formSettings(reader),
  };
}

/** Options of formidable that call functions of the project, or change how files are stored until the response is sent. */
const UNUSED_OF_FORMS = [
  "filter",
  "filename",
  "onFileBegin",
  "fileWriteStreamHandler",
  "enabledPlugins",
  "encoding",
  "hashAlgorithm",
  "keepExtensions",
  "uploadDir",
];

/** The options that have no effect, but have one in Strapi. */
export function unusedBodyOptions(config: Section): readonly UnusedOption[] {
  const { formidable, queryString } = config;
  const forms = isSection(formidable) ? formidable : {};
  const isSet = (value: unknown): boolean => value !== undefined && value !== false;
  return [
    ...["onError", "patchNode"].filter((name) => isSet(config[name])).map((name) => unusedOption(name, config[name])),
    ...(config.patchKoa === false ? [unusedOption("patchKoa", false)] : []),
    ...UNUSED_OF_FORMS.filter((name) => isSet(forms[name])).map((name) =>
      unusedOption(`formidable.${name}`, forms[name]),
    ),
    ...(forms.multiples === false ? [unusedOption("formidable.multiples", false)] : []),
    ...(isSection(queryString) ? unusedQueryOptions(queryString, "queryString.") : []),
  ];
}
