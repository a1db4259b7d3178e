/** `galley serve`: serves a project, an archive or published content until it is stopped. */
import { type Command, portOption } from "../command.ts";
import { runServe } from "../serve/run-serve.ts";

export const serve: Command = {
  name: "serve",
  summary: "Serve a project's content-types over REST and GraphQL",
  usage: "[project | archive | url]",
  options: {
    port: portOption,
    host: { type: "string", value: "name", summary: "Host to listen on (HOST; default localhost, on IPv4 and IPv6)" },
    workers: {
      type: "string",
      value: "number",
      summary: "Number of server processes, 1 to 64 (default 1; more on Linux only)",
    },
    memory: { type: "boolean", summary: "Keep the database in memory and write nothing" },
    "no-content-sync": { type: "boolean", summary: "Load content/ into an empty database only, and do not write it" },
    refresh: {
      type: "string",
      value: "time",
      summary: "How often an archive at https:// or s3:// is checked for changes: 30s, 5m (default: never)",
    },
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
    public: { type: "boolean", summary: "Let everybody read every content-type" },
    admin: {
      type: "boolean",
      summary: "Serve the admin page and its routes on a public address and in production, too",
    },
    "no-admin": { type: "boolean", summary: "Serve neither the admin page nor its routes" },
    open: { type: "boolean", summary: "Open the admin page in the browser, or GraphQL's without one" },
    quiet: { type: "boolean", summary: "Print errors only" },
  },
  isServer: true,
  run: runServe,
};
