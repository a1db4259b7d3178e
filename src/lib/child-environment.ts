/** The environment of child processes, which end with their parent. */

/**
 * With this variable the runtime ends a process with its parent, even if the parent was killed and while the process is blocked by
 * a statement: by the system on Linux and Windows; on macOS only between statements.
 */
export const CHILD_FLAG = "BUN_FEATURE_FLAG_NO_ORPHANS";

/** The environment of a child process that is of no use without this one. */
export const childEnvironment = (environment: Readonly<Record<string, string | undefined>>) => ({
  ...environment,
  [CHILD_FLAG]: "1",
});
