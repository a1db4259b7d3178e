/** A process that serves a project, and prints which modules of the protocol are loaded before and after a call. Arguments: the folder. */
import { createGalley } from "../../../src/index.ts";

const loaded = (): string[] =>
  [...Object.keys(require.cache)].filter((path) =>
    /@modelcontextprotocol|node_modules\/zod|src\/server\/mcp\/(?!routes|development\/session-routes)/.test(path),
  );

const [, , project = ""] = process.argv;
const galley = await createGalley({ project, admin: true, environment: {} });
galley.serve();
const ask = (path: string, init: RequestInit = {}) => galley.handle(new Request(`http://localhost${path}`, init));
await (await ask("/api/notes")).text();
await (await ask("/admin")).text();
await (await ask("/admin/init")).text();
const before = loaded();
await (await ask("/mcp", { method: "POST" })).text();
console.log(JSON.stringify({ before, after: loaded() }));
await galley.close();
process.exit();
