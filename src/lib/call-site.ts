/** Where a program calls Galley, for messages. */
import { dirname, relative } from "node:path";

/** Carries the place from a test on Node.js to the process that serves its project. */
export const SITE_HEADER = "galley-call-site";

const FRAME = /(?:^|[\s(])(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/]).+?):(\d+)(?::\d+)?\)?$/;
/** Packages, and files in an executable. */
const NOT_OF_PROGRAM = /[\\/]node_modules[\\/]|\$bunfs|~BUN/;

/** As in "test/articles.test.ts:12"; undefined if none of the program's files is calling. */
export function callSite(): string | undefined {
  const frames = (new Error().stack ?? "").split("\n").flatMap((line) => {
    const [, file, row] = FRAME.exec(line) ?? [];
    return file === undefined ? [] : [{ file, row }];
  });
  // the first frame is this file, in the source, or what it is bundled in
  const self = frames[0]?.file ?? "";
  const own = self.endsWith("call-site.ts") ? dirname(dirname(self)) : self;
  const found = frames.find(({ file }) => !file.startsWith(own) && !NOT_OF_PROGRAM.test(file));
  return found && `${relative(process.cwd(), found.file).replaceAll("\\", "/")}:${found.row}`;
}
