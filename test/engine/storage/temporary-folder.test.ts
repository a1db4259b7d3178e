/** Temporary folders of processes that end, are killed, and find no place. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { removeLeftovers } from "../../../src/engine/storage/temporary-folder.ts";

const MODULE = join(import.meta.dir, "../../../src/engine/storage/temporary-folder.ts");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-temporary-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process that runs `code`, with the module's functions, and waits for its standard input to end. */
function start(code: string, TMPDIR = folder) {
  const program = `import { createTemporaryFolder, removeTemporaryFolder } from ${JSON.stringify(MODULE)};
    ${code}; console.log("ready"); await Bun.stdin.text()`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    env: { ...process.env, TMPDIR },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const ready = async (): Promise<void> => void (await child.stdout.getReader().read());
  return { child, ready };
}

const CREATE = "const made = createTemporaryFolder('memory')";

test("a process that ends leaves nothing, nor one that removes its folders", async () => {
  for (const code of [CREATE, `${CREATE}; removeTemporaryFolder(made)`]) {
    const { child, ready } = start(code);
    await ready();
    expect(readdirSync(folder)).toHaveLength(code === CREATE ? 1 : 0);
    child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  }
});

test("what a killed process has left is removed by the next one, and nothing else", async () => {
  const [killed, running] = [start(CREATE), start(CREATE)];
  await Promise.all([killed.ready(), running.ready()]);
  killed.child.kill("SIGKILL");
  await killed.child.exited;
  const others = [`galley-${hostname()}-others`, "galley-elsewhere-x"];
  for (const name of others) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "galley-elsewhere-x/.lock"), "");
  const before = readdirSync(folder);
  expect(before).toHaveLength(4);
  const next = start(CREATE);
  await next.ready();
  const kept = readdirSync(folder).filter((name) => before.includes(name));
  expect(kept).toHaveLength(3);
  expect(kept).toContainValues(others);
  for (const { child } of [running, next]) child.stdin.end();
  await Promise.all([running.child.exited, next.child.exited]);
  expect(readdirSync(folder).sort()).toEqual(others.sort());
});

test("a process goes on when the system has removed its folders, and leaves nothing", async () => {
  const remove = `import { dirname } from "node:path"; import { rmSync } from "node:fs"; rmSync(dirname(made), { recursive: true })`;
  const { child, ready } = start(`${CREATE}; ${remove}; createTemporaryFolder("memory")`);
  await ready();
  const [made, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(readdirSync(join(folder, made!)).sort()).toEqual([".lock", "memory-2"]);
  child.stdin.end();
  expect(await child.exited).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test("a folder that cannot be written is named, with what to do", async () => {
  const missing = join(folder, "missing");
  const { child } = start(CREATE, missing);
  expect(await new Response(child.stderr).text()).toMatch(
    new RegExp(`${missing}: temporary files cannot be written there: make it .* or name another one in TMPDIR`),
  );
  expect(existsSync(missing)).toBe(false);
});

test.skipIf(process.platform === "win32")("a process that may open no more files says so", async () => {
  const program = `import { openSync } from "node:fs"; import { createTemporaryFolder } from ${JSON.stringify(MODULE)};
    try { for (;;) openSync("/dev/null", "r"); } catch {}
    try { createTemporaryFolder("memory"); } catch ({ code }) { console.log(code); }`;
  const child = Bun.spawn(["sh", "-c", 'ulimit -n 200; exec "$0" -e "$1"', process.execPath, program], {
    env: { ...process.env, TMPDIR: folder },
    stdout: "pipe",
    timeout: 3000,
    killSignal: "SIGKILL",
  });
  expect(await child.stdout.text()).toBe("EMFILE\n");
  expect(readdirSync(folder)).toEqual([]);
});

test("files and folders with the id of a killed process are removed after an hour, and no others", () => {
  const ended = Bun.spawnSync([process.execPath, "--version"]).pid;
  const old = new Date(Date.now() - 2 * 60 * 60_000);
  const place = (name: string, time = old): string => {
    mkdirSync(join(folder, name));
    utimesSync(join(folder, name), time, time);
    return name;
  };
  place(`a.tar.${ended}.part`);
  const kept = [
    place(`a.tar.${process.ppid}.part`),
    place(`a.tar.${ended + 1}.part`, new Date()),
    place(`a.tar.gz.${ended}.part`),
    place("a.tar.x.part"),
    place(`a.tar.${ended}`),
  ];
  removeLeftovers(folder, "a.tar.", ".part");
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
});

test.skipIf(process.getuid?.() !== 0)(
  "what a process of another user has left stays, since it cannot be removed in shared folders",
  () => {
    const ended = Bun.spawnSync([process.execPath, "--version"]).pid;
    const path = join(folder, `b.tar.${ended}.part`);
    writeFileSync(path, "");
    chownSync(path, 65_534, 65_534);
    utimesSync(path, new Date(0), new Date(0));
    removeLeftovers(folder, "b.tar.", ".part");
    expect(existsSync(path)).toBe(true);
  },
);

test("a folder that cannot be listed keeps nobody from an export", () => {
  writeFileSync(join(folder, "file"), "");
  for (const name of ["file", "missing"]) expect(() => removeLeftovers(join(folder, name), "a.")).not.toThrow();
});
