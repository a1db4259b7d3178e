/** The project that is measured. */
import { join } from "node:path";

export const PROJECT = join(import.meta.dir, "../../test/conformance/project");
export const TOKEN = "conformance-full-access";
/** The file that is Galley's database within a project. */
export const DATABASE = ".galley/content.db";
