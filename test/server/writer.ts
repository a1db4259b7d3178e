/** A process of its own for tests: serves the project in argv[2] from the database on disk, and prints where. */
import { createGalley } from "../../src/index.ts";

const galley = await createGalley({ project: process.argv[2]!, memory: false, environment: {} });
console.log(galley.serve());
