/** `galley publish`: a project's content into a store that any number of servers read. */
import { resolve } from "node:path";
import type { ProjectError } from "../../errors.ts";
import { storeObject } from "../../server/published/location.ts";
import type { Published, PublishTask } from "../../server/published/publish.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { checkFolder } from "../project-folder.ts";

function taskOf({ arguments: [place, project = "."], text, print, environment }: CommandCall): PublishTask {
  if (place === undefined || !/^s3:\/\//i.test(place))
    throw new UsageError("publish needs an object of a store: galley publish s3://bucket/content.tar.gz [project]");
  const object = storeObject(place);
  const key = text("key");
  // readers recognise encryption by the name
  const ending = key === undefined ? ".tar.gz" : ".tar.gz.enc";
  if (!object.key.endsWith(ending)) throw new UsageError(`the object's name must end with ${ending}`);
  const root = resolve(project);
  checkFolder(root);
  return { root, object, key, environment, announce: print };
}

async function runPublish(call: CommandCall): Promise<number> {
  const task = taskOf(call);
  const { publish, publishOnChange } = await import("../../server/published/publish.ts");
  const published = ({ entities, links, assets, bytes }: Published): void =>
    call.print(
      `published ${entities} rows, ${links} links, ${assets} media files (${(bytes / 1e6).toFixed(2)} MB) to s3://${task.object.bucket}/${task.object.key}`,
    );
  if (!call.flag("on-change")) {
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)
      process.on(signal, () => process.exit(code));
    const done = await publish(task);
    if (done) published(done);
    return 0;
  }
  const stop = new AbortController();
  // what is being uploaded is finished, unless there is a second signal
  const end = (): void => (stop.signal.aborted ? process.exit(130) : stop.abort());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
  const report = ({ message }: ProjectError): void => console.error(`galley: ${message}`);
  await publishOnChange(task, { published, report, signal: stop.signal });
  return 0;
}

export const publish: Command = {
  name: "publish",
  summary: "Put a project's content into a store, for servers that only read",
  usage: "<s3://bucket/key> [project]",
  maxArguments: 2,
  options: {
    "on-change": { type: "boolean", summary: "Keep running, and publish again whenever published content has changed" },
    key: { type: "string", value: "password", summary: "Encrypt the archive" },
  },
  run: runPublish,
};
