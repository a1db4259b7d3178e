/** A served project keeps its secrets: they are in no answer, no log and not in the database. */
import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../../src/index.ts";
import { PROGRAM } from "../../program.ts";
import { configFile, projectFolder, typeFile } from "../../project.ts";
import { until } from "../../until.ts";

const secrets = {
  "a user's password": "Pa55word-of-ada",
  "a wrong password": "Wr0ng-password",
  "a registered user's password": "Pa55word-of-mallory",
  "an API token": "full-access-key-3f9a",
  "an unknown API token": "unknown-key-77aa",
  "the JWT secret": "jwt-secret-c0ffee",
  "a password attribute": "hidden-c0de",
};

const folder = projectFolder({
  ...configFile({
    users: [{ username: "ada", email: "ada@example.com", password: secrets["a user's password"] }],
    tokens: [{ name: "full", type: "full-access", key: secrets["an API token"] }],
    roles: { public: ["plugin::users-permissions.auth.*"] },
  }),
  ...typeFile("post", { title: { type: "string" }, code: { type: "password" } }),
});
afterAll(folder.remove);

function below(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(root, name)).isFile());
}

test("secrets are nowhere that anybody looks", async () => {
  const { promise: address, resolve } = Promise.withResolvers<string>();
  const child = Bun.spawn([...PROGRAM, "serve", folder.root, "--port", "0"], {
    env: { JWT_SECRET: secrets["the JWT secret"] },
    stdout: "pipe",
    stderr: "pipe",
  });
  let log = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const chunk of stream) {
      log += Buffer.from(chunk).toString();
      const found = /at (http:\S+)/.exec(log);
      if (found) resolve(found[1]!);
    }
  });
  const base = await address;
  const answers: string[] = [];
  const call = async (method: string, path: string, body?: unknown, token?: string): Promise<string> => {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (token) headers.authorization = `Bearer ${token}`;
    const response = await fetch(base + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
    answers.push(text);
    return text;
  };
  const full = secrets["an API token"];
  const login = await call("POST", "/api/auth/local", { identifier: "ada", password: secrets["a user's password"] });
  expect(login).toStartWith("200");
  await call("POST", "/api/auth/local", { identifier: "ada", password: secrets["a wrong password"] });
  await call("POST", "/api/auth/local", { identifier: 5, password: [] });
  const person = { username: "mallory", email: "m@example.com", password: secrets["a registered user's password"] };
  expect(await call("POST", "/api/auth/local/register", person)).toStartWith("200");
  const made = await call("POST", "/api/posts", { data: { title: "t", code: secrets["a password attribute"] } }, full);
  expect(made).toStartWith("201");
  await call("GET", "/api/posts", undefined, secrets["an unknown API token"]);
  await call("GET", "/api/posts?filters[code]=x&populate=*", undefined, full);
  await call("GET", "/api/users?populate=*", undefined, full);
  await call("GET", "/api/content-type-builder/content-types", undefined, full);
  await call("POST", "/api/auth/forgot-password", { email: "ada@example.com" });
  await until("the mail is announced", () => log.includes("mail to ada@example.com"));
  child.kill("SIGTERM");
  await child.exited;
  await Promise.all(reading);

  const data = join(folder.root, ".galley");
  const [mail] = readdirSync(join(data, "outbox"));
  expect(log).toContain(`mail to ada@example.com: Reset password, written to ${join(data, "outbox", mail!)}`);
  const text = readFileSync(join(data, "outbox", mail!), "utf8").replaceAll("=\r\n", "");
  const code = /code=(?:3D)?([0-9a-f]{128})/.exec(text)?.[1];
  expect(code).toBeString();
  expect(log).not.toContain(code!);
  expect(log).not.toContain("code=");
  expect(statSync(join(data, "outbox", mail!)).mode & 0o077).toBe(0);
  expect(statSync(join(data, "outbox")).mode & 0o077).toBe(0);
  const files = below(data).filter((name) => name !== "secrets.json" && !name.startsWith("outbox"));
  expect(files).toContain("content.db");
  const database = files.map((name) => readFileSync(join(data, name), "latin1")).join("\n");
  expect(database).toContain("ada@example.com");
  expect(database).not.toContain(code!);
  for (const [what, secret] of Object.entries(secrets)) {
    expect(log.includes(secret), `${what} in the log`).toBe(false);
    expect(database.includes(secret), `${what} in the database`).toBe(false);
    expect(answers.join("\n").includes(secret), `${what} in an answer`).toBe(false);
  }
  expect(answers.join("\n")).not.toMatch(/\$2[aby]\$/);
  expect(statSync(join(data, "secrets.json")).mode & 0o077).toBe(0);
});

test("a token of the configuration is known again after the secrets were lost", async () => {
  const key = secrets["an API token"];
  const statusWith = async (): Promise<number> => {
    const galley = await createGalley({ project: folder.root, memory: false, environment: {} });
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await galley.handle(new Request("http://localhost/api/posts", { headers }));
    await galley.close();
    return status;
  };
  expect(await statusWith()).toBe(200);
  rmSync(join(folder.root, ".galley/secrets.json"));
  expect(await statusWith()).toBe(200);
});
