/** `galley publish`: uploads a project's content to a store that any number of servers read. */

import type { ProjectError } from "../../lib/errors.ts";
import { storeObject } from "../../server/published/location.ts";
import type { Published, PublishTask } from "../../server/published/publish.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { projectFolder } from "../project-folder.ts";
import { SIGNALS } from "../serve/stop-signals.ts";
import { leftOutLines } from "./import.ts";

function createTask({ arguments: [location, project], text, print, environment }: CommandCall): PublishTask {
  if (location === undefined || !/^s3:\/\//i.test(location))
    throw new UsageError("publish needs an object of a store: galley publish s3://bucket/content.tar.gz [project]");
  const object = storeObject(location);
  const key = text("key");
  // readers recognise an encrypted archive by its name
  const extension = key === undefined ? ".tar.gz" : ".tar.gz.enc";
  if (!object.key.endsWith(extension)) throw new UsageError(`the object's name must end with ${extension}`);
  return { root: projectFolder(project), object, key, environment, announce: print };
}

async function runPublish(call: CommandCall): Promise<number> {
  const task = createTask(call);
  const { publish, publishOnChange } = await import("../../server/published/publish.ts");
  const printResult = ({ entities, links, assets, bytes, leftOut }: Published): void => {
    const object = `s3://${task.object.bucket}/${task.object.key}`;
    call.result({ object, rows: entities, links, files: assets, bytes, leftOut }, [
      `published ${entities} rows, ${links} links, ${assets} media files (${(bytes / 1e6).toFixed(2)} MB) to ${object}`,
      ...leftOutLines(leftOut),
    ]);
  };
  if (!call.flag("on-change")) {
    const result = await publish(task);
    if (result) printResult(result);
    call.print(
      `galley serve ${call.arguments[0]}${task.key === undefined ? "" : " --key <password>"} serves it, read-only`,
    );
    return 0;
  }
  const controller = new AbortController();
  // the first signal lets a running upload finish; the second one does not
  const interrupt = (signal: NodeJS.Signals): void => {
    if (!controller.signal.aborted) return controller.abort();
    for (const name of SIGNALS) process.off(name, interrupt);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const report = ({ message }: ProjectError): void => console.error(`galley: ${message}`);
  await publishOnChange(task, { published: printResult, report, signal: controller.signal });
  return 0;
}

export const publish: Command = {
  name: "publish",
  summary: "Upload a project's content to a store, for read-only servers",
  usage: "<s3://bucket/key> [project]",
  options: {
    "on-change": { type: "boolean", summary: "Keep running, and publish again whenever published content has changed" },
    key: { type: "string", value: "password", summary: "Encrypt the archive" },
    json,
  },
  run: runPublish,
};
