/**
 * `galley-cms/test`: a project for tests, in the process of the test. On Node.js the package's entry of this name is
 * `testing/client.ts`, which has the same functions and runs the project in the executable.
 */
export * from "./index.ts";
