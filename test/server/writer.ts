/** A process of its own for tests: serves the project in argv[2] on the port in argv[3] from the database on disk. */
import { createGalley } from "../../src/index.ts";

const galley = await createGalley({ project: process.argv[2]!, memory: false, environment: {} });
galley.serve(Number(process.argv[3]));
console.log("ready");
