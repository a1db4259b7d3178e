/** `galley types`, `galley openapi` and `galley graphql-schema`: write descriptions of a project's types, without a server. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Schema } from "../../engine/schema/model.ts";
import { asProjectError } from "../../engine/storage/problems.ts";
import { ProjectError } from "../../lib/errors.ts";
import { watchFiles } from "../../server/watch-files.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { readForCommand } from "../open-project.ts";
import { projectFolder } from "../project-folder.ts";
import { choosePort } from "../serve/options.ts";

type ReadModel = Awaited<ReturnType<typeof readForCommand>>;

/** Generates texts, or values to be written as JSON, by absolute path; one without a path is printed. */
type Generate = (
  read: ReadModel,
  call: CommandCall,
  root: string,
) => Promise<ReadonlyMap<string | undefined, string | object>>;

function write(path: string, text: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw new UsageError(`${path} is a folder: --out names a file`);
  // a device, such as /dev/stdout, cannot be read to its end
  if (stats?.isFile() && readFileSync(path, "utf8") === text) return false;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw asProjectError(error, path);
  }
  return true;
}

async function writeDescription(call: CommandCall, generate: Generate): Promise<number | undefined> {
  const root = projectFolder(call.arguments[0]);
  const writeFiles = async (): Promise<void> => {
    for (const [path, value] of await generate(await readForCommand(root, call.environment), call, root)) {
      const text = typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`;
      if (path === undefined) call.result(value, [text.trimEnd()]);
      else if (write(path, text))
        call.print(`wrote ${path}${call.flag("watch") ? "" : "; --watch writes it again when a type changes"}`);
    }
  };
  if (call.flag("watch") && call.text("out") === undefined && !call.flag("strapi"))
    throw new UsageError("--watch needs --out <file>");
  await writeFiles();
  if (!call.flag("watch")) return 0;
  const report = (error: unknown): void =>
    console.error(`galley: ${error instanceof ProjectError ? error.message : String(error)}`);
  const changed = (): void => void writeFiles().catch(report);
  watchFiles(root, { watched: ["src", "config"], changed, report });
  return undefined;
}

const watch = { type: "boolean", summary: "Write again whenever the project's files change" } as const;
const out = { type: "string", value: "file", summary: "Write to a file; printed otherwise" } as const;

const outputPath = (call: CommandCall): string | undefined => {
  const path = call.text("out");
  return path === undefined ? undefined : resolve(path);
};

/** Of the project, and of plugins. Attributes are as in schema files. */
function describeAsJson({ types, components }: ReadModel["model"]): object {
  const describe = ({ uid, definition }: Schema) => ({ uid, ...definition });
  return {
    contentTypes: [...types.values()].map(describe),
    components: [...components.values()].map(describe),
  };
}

export const types: Command = {
  name: "types",
  summary: "Write TypeScript types of documents, inputs and populated results",
  usage: "[project]",
  options: {
    out,
    json: { type: "boolean", summary: "Write content-types and components with their attributes as JSON instead" },
    strapi: { type: "boolean", summary: "Write types/generated in the project instead, in Strapi's own form" },
    watch,
  },
  run: (call) =>
    writeDescription(call, async ({ model }, _call, root) => {
      if (call.flag("json") && call.flag("strapi")) throw new UsageError("--json and --strapi exclude each other");
      if (call.flag("json")) return new Map([[outputPath(call), describeAsJson(model)]]);
      if (call.flag("strapi")) {
        const { strapiTypes } = await import("../../api/descriptions/strapi-types.ts");
        const folder = join(root, "types/generated");
        return new Map(Object.entries(strapiTypes(model)).map(([name, text]) => [join(folder, name), text]));
      }
      const { typescriptTypes } = await import("../../api/descriptions/typescript.ts");
      return new Map([[outputPath(call), typescriptTypes(model)]]);
    }),
};

export const openapi: Command = {
  name: "openapi",
  summary: "Write an OpenAPI description of REST",
  usage: "[project]",
  options: { out, watch },
  run: (call) =>
    writeDescription(call, async ({ model, settings }) => {
      const { openapiDocument } = await import("../../api/descriptions/openapi.ts");
      // generated clients need the host
      const url = settings.server.url || `http://localhost:${choosePort(call, settings)}`;
      const document = openapiDocument(model, { prefix: settings.rest.prefix, url });
      return new Map([[outputPath(call), document]]);
    }),
};

export const graphqlSchema: Command = {
  name: "graphql-schema",
  summary: "Write the GraphQL schema",
  usage: "[project]",
  options: { out, watch },
  run: (call) =>
    writeDescription(call, async ({ model, settings }) => {
      const { createSchema } = await import("../../api/graphql/schema/schema.ts");
      const { printSchema } = await import("graphql");
      return new Map([[outputPath(call), `${printSchema(createSchema(model, settings.graphql))}\n`]]);
    }),
};
