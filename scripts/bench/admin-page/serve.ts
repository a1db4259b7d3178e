/** A server for the page's benchmark, in a process of its own. */
import { join } from "node:path";

export interface Served {
  readonly address: string;
  readonly link: string;
  readonly stop: () => Promise<void>;
}

export async function serve(root: string, executable: string | undefined): Promise<Served> {
  const command = executable ? [executable] : [process.execPath, join(import.meta.dir, "../../../src/main.ts")];
  const child = Bun.spawn([...command, "serve", root, "--port", "0"], { stdout: "pipe", stderr: "inherit" });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // read to its end: a full pipe would stop the server
  const read = async (): Promise<void> => {
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const [link] = /http:\/\/\S+\/admin#\S+/.exec(text) ?? [];
      if (link) resolve(link);
    }
    reject(new Error("the server has ended"));
  };
  void read();
  const link = await promise;
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  return { link, address: new URL(link).origin, stop };
}
