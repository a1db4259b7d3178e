/**
 * Every shell command of the README and the manual runs, in a folder for each document, and prints what is shown. Servers elsewhere
 * have stand-ins: another Galley, a store, a web server.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createGalley, type Galley } from "../src/index.ts";
import { codeBlocks, documents, ROOT } from "./documents.ts";
import { freePort } from "./free-port.ts";
import { createObjectStore } from "./object-store.ts";
import { TOKEN as BLOG_TOKEN, writeBlog } from "./scripts/blog.ts";
import { Shell, stepsOf } from "./shell.ts";

const withoutComment = (command: string): string => command.replace(/ +# .*$/, "");

/** Commands that are not run, without their comments, each with the reason. */
const notRun: Readonly<Record<string, string>> = {
  "npx --yes bun@1.4.5 run start": "writes into this clone; test/starter.test.ts serves the starter",
  "npx --yes bun@1.4.5 run test": "this runs in it; .ci/run is it",
  "bun install": ".ci/run begins with it",
  "bun run build": "scripts/test.ts does it",
  "bun scripts/build.ts --all": ".ci/run builds them",
  "litestream replicate .galley/content.db s3://bucket/content":
    "test/engine/storage/litestream.test.ts does it where Litestream is installed",
  "litestream restore -o .galley/content.db s3://bucket/content":
    "test/engine/storage/litestream.test.ts does it where Litestream is installed",
  "docker build -t galley .": ".github/workflows/release.yml builds the image",
  "docker run -d -p 127.0.0.1:1337:1337 -v /srv/magazine:/project --restart unless-stopped galley":
    ".github/workflows/release.yml builds the image",
  "strapi import -f content.tar.gz": "scripts/roundtrip.ts does it with a Strapi",
};

const MAGAZINE = ["galley serve magazine"];
const put = (path: string, token: string): string =>
  `curl -sf -o put.json -X PUT localhost:1337${path} -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json'`;

/** What a document, or the command that begins like this, takes for granted: commands that run before. */
const before: Readonly<Record<string, readonly string[]>> = {
  start: MAGAZINE,
  rest: MAGAZINE,
  files: MAGAZINE,
  errors: MAGAZINE,
  changes: MAGAZINE,
  "cache-tags": MAGAZINE,
  data: ["galley serve shop"],
  "nightly-backup": ["galley serve shop"],
  'curl -g "localhost:1337/galley/changes?since=$SINCE': [
    'curl -sf localhost:1337/galley/changes | sed \'s/{"token":"\\([^"]*\\).*/\\1/\' > since',
    `${put("/api/articles/$(curl -sf 'localhost:1337/api/articles?fields=id' | grep -o '[a-z0-9]\\{24\\}' | head -1)", "$TOKEN")} -d '{"data":{"title":"Another Title"}}'`,
  ],
  "content-files": [
    "cp -r magazine/. .",
    "git init -q . && git add content && git -c user.name=a -c user.email=a@b.c commit -qm all",
    "galley serve",
  ],
  "curl -g 'localhost:1337/api/articles?filters[slug]=soup": [
    "until curl -s localhost:1337/api/articles | grep -q 'Soup, in Order'; do sleep 0.1; done",
    // the file of the page
    "until curl -s 'localhost:1337/api/articles?locale=fr&populate=*' | grep 'Un tabouret pour' | grep Mara | grep -q workshop; do sleep 0.1; done",
  ],
  "git diff -U0": [
    `${put("/api/authors/$(curl -sgf 'localhost:1337/api/authors?filters[name][$startsWith]=Mara' | grep -o '[a-z0-9]\\{24\\}')", "$(galley token create mara --type full-access)")} -d '{"data":{"email":"mara@example.org"}}'`,
    "until git diff | grep -q mara@example.org; do sleep 0.1; done",
  ],
  "curl -s -o page.html -w '%{http_code}' localhost:3000/articles/a-draft": [
    "PREVIEW_SECRET=secret galley serve magazine",
    `curl -sf -o draft.json "localhost:1337/api/articles?status=draft" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"data":{"title":"A draft","slug":"a-draft","summary":"Nobody else sees it.","date":"2026-01-01","kind":"essay"}}'`,
    `STRAPI_URL=http://localhost:1337 STRAPI_TOKEN=$TOKEN next dev`,
  ],
  "bun scripts/load-content.ts": ["galley serve blog/project"],
};
const preparing = (command: string): readonly string[] =>
  Object.entries(before).find(([start]) => start.includes(" ") && command.startsWith(start))?.[1] ?? [];

const steps = new Map(
  [...documents].map(([path, text]) => [
    basename(path, ".md"),
    stepsOf(text).filter((step) => !("command" in step) || !Object.hasOwn(notRun, withoutComment(step.command))),
  ]),
);

test("what is not run is in a document", () => {
  const commands = [...documents.values()]
    .flatMap(stepsOf)
    .flatMap((step) => ("command" in step ? [withoutComment(step.command)] : []));
  expect(Object.keys(notRun).filter((command) => !commands.includes(command))).toEqual([]);
});

test("every block of a shell, and every file of content, is one that is run", () => {
  const blocks = [...documents.values()].flatMap(codeBlocks);
  const languages = new Set(blocks.map(({ language }) => language));
  expect([...languages].sort()).toEqual([
    "",
    "console",
    "html",
    "ini",
    "js",
    "json",
    "nginx",
    "sh",
    "text",
    "ts",
    "tsx",
    "yaml",
  ]);
  // a named file is written, and loaded by the commands around it
  expect(blocks.filter(({ language, file }) => language === "yaml" && file === "")).toEqual([]);
  const hidden = blocks
    .filter(
      ({ language, code }) =>
        !["sh", "console"].includes(language) && /^\s*(\$ |(npx |bunx )?galley [a-z]|curl )/m.test(code),
    )
    .map(({ code }) => code.split("\n")[0]);
  // the list of commands
  expect(hidden).toEqual([
    "galley serve [project | archive | url]  Serve a project's content-types over REST and GraphQL",
  ]);
});

/** What loads files that no command names, by their folder. */
const loadedBy: Readonly<Record<string, string>> = { app: "next dev", lib: "next dev", content: "galley serve" };
/** Settings, and files of other programs, which test/manual.test.ts has read where they can be. */
const readElsewhere = ["config/galley.json", "galley.service", "nginx.conf", ".vscode/launch.json"];

test("every named file is one that a command of its document loads", () => {
  const unused = [...steps].flatMap(([name, all]) => {
    const own = all.flatMap((step) => ("command" in step ? [step.command] : []));
    const commands = [...(before[name] ?? []), ...own, ...own.flatMap(preparing)].join("\n");
    const files = all.flatMap((step) => ("command" in step ? [] : [step.file]));
    return files.filter((file) => {
      const [folder = ""] = file.split("/");
      const words = [basename(file), folder, ...(Object.hasOwn(loadedBy, folder) ? [loadedBy[folder]!] : [])];
      return !readElsewhere.includes(file) && !words.some((word) => commands.includes(word));
    });
  });
  expect(unused).toEqual([]);
});

const tools = ["curl", "node", "npm", "git"].every((name) => Bun.which(name) !== null);

describe.skipIf(process.platform === "win32" || !tools)("the commands of", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "galley-documents-")));
  const prepared = join(folder, "prepared");
  const archive = join(prepared, "content.tar.gz");
  const store = createObjectStore();
  const web = Bun.serve({ port: 0, fetch: () => new Response(Bun.file(archive)) });
  let origin: Galley;
  let originToken: string;
  let preparedToken: string;

  /** What is in the folder of a document: projects with their content, an archive, content files, a picture and a site. */
  beforeAll(async () => {
    const magazine = join(prepared, "magazine");
    cpSync(join(ROOT, "data/starter"), magazine, { recursive: true });
    origin = await createGalley({ project: magazine, environment: {} });
    originToken = (await origin.as("full-access").authorization())!.replace("Bearer ", "");
    const shell = new Shell({ folder: prepared, port: 0, environment: {} });
    // also loads the content, which takes each server longer than all else
    await shell.print("galley export content.tar.gz magazine");
    preparedToken = await shell.print("galley token create editor magazine --type full-access");
    for (const name of ["cms", "shop"]) cpSync(magazine, join(prepared, name), { recursive: true });
    cpSync(join(ROOT, "data/starter/content"), join(prepared, "content"), { recursive: true });
    cpSync(join(ROOT, "data/starter/content/media/workshop.jpg"), join(prepared, "picture.jpg"));
    await writeBlog(join(prepared, "blog"));
    const build =
      "node -e \"fetch(process.env.STRAPI_URL + '/api/articles').then((answer) => process.exit(answer.ok ? 0 : 1))\"";
    writeFileSync(join(prepared, "package.json"), JSON.stringify({ private: true, scripts: { build } }));
  });
  afterAll(async () => {
    await origin.close();
    await Promise.all([store.stop(), web.stop(true)]);
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [name, all] of steps) {
    if (!all.some((step) => "command" in step)) continue;
    test(name, async () => {
      const scene = join(folder, "scenes", name);
      const isFromNothing = all.some((step) => "command" in step && step.command.startsWith("galley init"));
      if (!isFromNothing) cpSync(prepared, scene, { recursive: true });
      mkdirSync(join(scene, "node_modules"), { recursive: true });
      symlinkSync(ROOT, join(scene, "node_modules/galley-cms"));
      const isRemote = all.some((step) => "command" in step && step.command.includes("cms.example.org"));
      const options = { folder: scene, port: freePort(), environment: {} };
      const fixed: Record<string, string> = {
        "content-files": BLOG_TOKEN,
        ...(isFromNothing && { [name]: "" }),
        ...(isRemote && { [name]: originToken }),
      };
      const token = fixed[name] ?? preparedToken;
      const sitePort = freePort();
      const shell = new Shell({
        ...options,
        environment: {
          TOKEN: token,
          GALLEY_REMOTE_TOKEN: token,
          PREVIEW_SECRET: "secret",
          GALLEY_CACHE: join(scene, "cache"),
          ...store.environment,
        },
        standIns: {
          "https://cms.example.org": origin.serve(),
          "https://example.org": web.url.origin,
          "GALLEY_REMOTE_TOKEN=… ": "",
          "bun scripts/": `bun ${ROOT}/scripts/`,
          $SINCE: "$(cat since)",
          "next dev": `bun ${ROOT}/test/next-stand-in.ts ${sitePort}`,
          "localhost:3000": `localhost:${sitePort}`,
        },
      });
      try {
        for (const command of before[name] ?? []) await shell.follow({ command, output: "" });
        for (const step of all) {
          if ("command" in step)
            for (const command of preparing(step.command)) await shell.follow({ command, output: "" });
          await shell.follow(step);
        }
      } finally {
        await shell.stop();
      }
    }, 240_000);
  }
});
