/** Serves each folder on a port of its own, all in this process, and prints the ports as JSON. */
import { createApp } from "../../src/server/app.ts";
import { listen } from "../../src/server/listen.ts";
import { openProject } from "../../src/server/project/project.ts";

const ports = process.argv.slice(2).map((folder) => {
  const project = openProject(folder, { environment: {}, memory: false, publicRead: false });
  // snapshots are kept, as with `galley serve`
  project.context.storage.serve();
  return listen(createApp(project), { port: 0, host: "127.0.0.1" }).port;
});
console.log(JSON.stringify(ports));
