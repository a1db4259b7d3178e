/** Projects for tests: folders with just the files that a test is about, and applications over them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGalley, type Galley, type GalleyOptions } from "../src/index.ts";

export const CONFORMANCE = join(import.meta.dir, "conformance/project");
export const FULL = { authorization: "Bearer conformance-full-access" };

type Attributes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface TypeOptions {
  readonly kind?: "collectionType" | "singleType";
  readonly draftAndPublish?: boolean;
  readonly localized?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly collectionName?: string;
  /** Attributes that the content manager shows nowhere. */
  readonly hidden?: readonly string[];
}

/** The service without which a core router of a type answers errors. */
export const serviceFile = (name: string): Record<string, string> => ({
  [`src/api/${name}/services/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreService("api::${name}.${name}");`,
});

/** A content-type's file. The plural is the singular with an s. */
export function typeFile(name: string, attributes: Attributes, options: TypeOptions = {}): Record<string, string> {
  const { kind = "collectionType", draftAndPublish = false, localized = false, hidden } = options;
  const definition = {
    kind,
    collectionName: options.collectionName ?? `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish, ...options.options },
    pluginOptions: localized ? { i18n: { localized: true } } : {},
    attributes,
    ...(hidden && { config: { attributes: Object.fromEntries(hidden.map((key) => [key, { hidden: true }])) } }),
  };
  return { [`src/api/${name}/content-types/${name}/schema.json`]: JSON.stringify(definition) };
}

/** An attribute that leads to another type of the project. */
export const relation = (kind: string, target: string) => ({
  type: "relation",
  relation: kind,
  target: `api::${target}.${target}`,
});

export function componentFile(uid: string, attributes: Attributes): Record<string, string> {
  const [category, name] = uid.split(".") as [string, string];
  const definition = { collectionName: `components_${category}_${name}`, info: { displayName: name }, attributes };
  return { [`src/components/${category}/${name}.json`]: JSON.stringify(definition) };
}

export const TOKEN = "test-full-access";
export const ADMIN = { authorization: `Bearer ${TOKEN}` };

export function configFile(settings: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const tokens = [{ name: "full", type: "full-access", key: TOKEN }];
  return { "config/galley.json": JSON.stringify({ tokens, ...settings }) };
}

export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A temporary folder with these files; removed by `remove`. */
export function projectFolder(files: Readonly<Record<string, string>>): { root: string; remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), "galley-test-"));
  writeFiles(root, files);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export interface TestApp extends Galley {
  /** The status and the parsed body of a request with every right. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; body: Body }>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they are about
export type Body = any;

export function createCall(galley: Galley, credentials: Record<string, string>): TestApp["call"] {
  return async (method, path, body, headers = credentials) => {
    const init =
      body === undefined
        ? { method, headers }
        : { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
    const response = await galley.handle(new Request(`http://localhost${path}`, init));
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}

/** An application over these files, in memory. */
export async function testApp(
  files: Readonly<Record<string, string>>,
  options: Partial<GalleyOptions> = {},
): Promise<TestApp> {
  const { root, remove } = projectFolder({ ...configFile(), ...files });
  const galley = await createGalley({ project: root, environment: {}, ...options });
  const close = async (): Promise<void> => {
    await galley.close();
    remove();
  };
  return { ...galley, close, call: createCall(galley, ADMIN) };
}

/** An application over the conformance project, in memory. */
export async function conformanceApp(): Promise<TestApp> {
  const galley = await createGalley({ project: CONFORMANCE, environment: {} });
  return { ...galley, call: createCall(galley, FULL) };
}
