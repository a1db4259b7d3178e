/** Every command, in the order of the help. */
import type { Command } from "../command.ts";
import { createCompletions } from "../completions.ts";
import { access } from "./access.ts";
import { backup, restore } from "./backup.ts";
import { check } from "./check.ts";
import { childProcesses } from "./child-processes.ts";
import { configDump, configRestore } from "./config.ts";
import { consoleCommand } from "./console.ts";
import { contentApply, contentCheck, contentMigrate } from "./content.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { health } from "./health.ts";
import { importCommand } from "./import.ts";
import { init } from "./init.ts";
import { licenses } from "./licenses.ts";
import { mcp } from "./mcp.ts";
import { mergeDriver, setupGit } from "./merge-driver.ts";
import { mirror } from "./mirror.ts";
import { publish } from "./publish.ts";
import { pull, push } from "./pull.ts";
import { routes } from "./routes.ts";
import { run as runCommandLine } from "./run.ts";
import { script } from "./script.ts";
import { serve } from "./serve.ts";
import { stale } from "./stale.ts";
import { status } from "./status.ts";
import { testServer } from "./test-server.ts";
import { tokenCommands } from "./token.ts";
import { graphqlSchema, openapi, types } from "./types.ts";
import { upgrade } from "./upgrade.ts";

export const commands: readonly Command[] = [
  serve,
  init,
  importCommand,
  exportCommand,
  pull,
  push,
  mirror,
  backup,
  restore,
  configDump,
  configRestore,
  publish,
  status,
  diff,
  contentCheck,
  contentApply,
  contentMigrate,
  setupGit,
  mergeDriver,
  runCommandLine,
  stale,
  check,
  script,
  consoleCommand,
  mcp,
  types,
  openapi,
  graphqlSchema,
  ...tokenCommands,
  access,
  routes,
  doctor,
  upgrade,
  health,
  createCompletions(() => commands),
  licenses,
  testServer,
  ...childProcesses,
];
