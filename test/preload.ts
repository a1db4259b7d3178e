import { setDefaultTimeout } from "bun:test";

/** For machines with other work; a test that is too slow says so itself. */
setDefaultTimeout(180_000);
/** Tests make every table anew, so that they see what the code does now, and leave nothing in the user's folder. */
process.env.GALLEY_CACHE = "";
