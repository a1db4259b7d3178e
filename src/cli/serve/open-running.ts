/** Opens what `galley serve` serves, and loads it again when it changes. */

import type { ProjectError } from "../../lib/errors.ts";
import { publishedLocation } from "../../server/published/location.ts";
import { type RunningProject, runProject } from "../../server/running.ts";
import type { StartOptions } from "../../server/start.ts";
import { OWN_COMMAND } from "../own-command.ts";
import type { Follower } from "./servers.ts";
import type { ServeTarget } from "./target.ts";

export interface OpenOptions {
  readonly start: StartOptions;
  /** Prints errors, and other messages. */
  readonly report: (message: string | ProjectError) => void;
  /** The other processes that serve the same, once there are any. */
  readonly follower: () => Follower | undefined;
}

function openPublished(
  { location, options: { key, refresh } }: Extract<ServeTarget, { kind: "published" }>,
  { start, report, follower }: OpenOptions,
): Promise<RunningProject> {
  const { runPublished } =
    require("../../server/published/published.ts") as typeof import("../../server/published/published.ts");
  const { loadInChildProcess } =
    require("../../server/published/load.ts") as typeof import("../../server/published/load.ts");
  return runPublished(publishedLocation(location, start.environment), {
    ...start,
    admin: () => false,
    key,
    refresh,
    load: (task, signal) => loadInChildProcess(task, { command: [...OWN_COMMAND, "load-archive"], signal }),
    report,
    changed: (project) => follower()?.changed(project),
  });
}

const openFiles = (
  { root, kind }: Exclude<ServeTarget, { kind: "published" }>,
  { start, report, follower }: OpenOptions,
): Promise<RunningProject> =>
  runProject(root, {
    ...start,
    watch: kind === "project",
    skipsFailingCode: true,
    report,
    changeTables: (project) => {
      const { changeTables } =
        require("../../server/change-tables.ts") as typeof import("../../server/change-tables.ts");
      return changeTables(project, start, {
        command: [...OWN_COMMAND, "migrate"],
        beforeChange: () => follower()?.beforeChange(),
      });
    },
    changed: (project) => void follower()?.changed(project),
    settled: () => follower()?.settled(),
  });

/** Rejects with a ProjectError for files that cannot be served. */
export const openRunning = (target: ServeTarget, options: OpenOptions): Promise<RunningProject> =>
  target.kind === "published" ? openPublished(target, options) : openFiles(target, options);
