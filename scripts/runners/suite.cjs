/** Thirty tests of one project, for any runner: each has a branch of its own, so that all of them run side by side. */
const assert = require("node:assert/strict");

const TAG = "api::tag.tag";
const FOG = "/api/tags?filters[slug]=fog";

/** Jest has its own `Array`, which a strict comparison refuses. */
const same = (actual, expected) => assert.equal(JSON.stringify(actual), JSON.stringify(expected));
const json = async (answer) => (await answer).json();
const names = async (galley, query = "sort=name") =>
  (await json(galley.fetch(`/api/tags?pagination[pageSize]=100&${query}`))).data.map(({ name }) => name);
const send = (galley, method, path, data, caller = "full-access") =>
  galley.as(caller).fetch(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(data),
  });
const ask = async (galley, query, variables) => json(send(galley, "POST", "/graphql", { query, variables }));
const upload = async (galley, name) => {
  const form = new FormData();
  form.set("files", new File([name], name, { type: "text/plain" }));
  const [file] = await json(galley.as("full-access").fetch("/api/upload", { method: "POST", body: form }));
  return file;
};
const fog = (galley) => galley.make("tag", { name: "Fog", slug: "fog" });

/** By name. */
exports.tests = {
  "a made document is listed": async (galley) => {
    await fog(galley);
    same(await names(galley, "filters[slug]=fog"), ["Fog"]);
  },
  "nothing of another test is there": async (galley) => same(await names(galley, "filters[slug]=fog"), []),
  "the content of the project is there": async (galley) => assert.equal((await names(galley)).length, 12),
  "many documents are made": async (galley) => {
    await galley.makeMany("tag", 20);
    assert.equal((await names(galley)).length, 32);
  },
  "what is made is the same in each run": async (galley) => {
    const other = await galley.branch();
    const [one, two] = await Promise.all([galley.make("author"), other.make("author")]);
    same([one.name, one.biography, one.joined], [two.name, two.biography, two.joined]);
  },
  "data is built without writing": async (galley) => {
    const { name } = await galley.build("tag");
    assert.equal(typeof name, "string");
    assert.equal((await names(galley)).length, 12);
  },
  "given values are kept": async (galley) => assert.equal((await fog(galley)).name, "Fog"),
  "drafts are not listed": async (galley) => {
    const { documentId } = await galley.make("article", {}, { status: "draft" });
    assert.equal((await galley.fetch(`/api/articles/${documentId}`)).status, 404);
  },
  "an unknown type is named": async (galley) => assert.rejects(galley.make("tga"), /did you mean tag/),
  "data that the type refuses is an error": async (galley) =>
    assert.rejects(galley.make("tag", { name: "x" }), { name: "ValidationError", status: 400 }),
  "the document service writes and reads": async (galley) => {
    const tags = galley.documents(TAG);
    const { documentId } = await tags.create({ data: { name: "Rain", slug: "rain" } });
    await tags.update({ documentId, data: { name: "Snow" } });
    assert.equal((await tags.findOne({ documentId })).name, "Snow");
    await tags.delete({ documentId });
    assert.equal(await tags.count({ filters: { slug: "rain" } }), 0);
  },
  "a branch of a branch has what that has": async (galley) => {
    await fog(galley);
    const inner = await galley.branch();
    await inner.make("tag", { name: "Inner", slug: "inner" });
    assert.equal((await names(inner)).length, 14);
    assert.equal((await names(galley)).length, 13);
  },
  "a branch is reset": async (galley) => {
    await fog(galley);
    await galley.reset();
    assert.equal((await names(galley)).length, 12);
  },
  "a snapshot is restored": async (galley) => {
    await fog(galley);
    const snapshot = await galley.snapshot();
    await galley.make("tag");
    await galley.reset(snapshot);
    same(await names(galley, "filters[slug]=fog"), ["Fog"]);
    assert.equal((await names(galley)).length, 13);
  },
  "a branch has a port of its own": async (galley) => {
    await fog(galley);
    assert.equal((await json(fetch(galley.serve() + FOG))).data.length, 1);
  },
  "uploads are of one branch": async (galley) => {
    const other = await galley.branch();
    const { url } = await upload(galley, "own.txt");
    assert.equal(await (await galley.fetch(url)).text(), "own.txt");
    assert.equal((await other.fetch(url)).status, 404);
  },
  "the public may not write": async (galley) =>
    assert.equal((await send(galley, "POST", "/api/tags", { data: {} }, "public")).status, 403),
  "a role may read its own user": async (galley) =>
    assert.equal((await galley.as("authenticated").fetch("/api/users/me")).status, 200),
  "a token may write": async (galley) => {
    const response = await send(galley, "POST", "/api/tags", { data: { name: "Fog", slug: "fog" } });
    assert.equal(response.status, 201);
  },
  "GraphQL reads what is made": async (galley) => {
    await fog(galley);
    const query = 'query Tags { tags(filters: { slug: { eq: "fog" } }) { name } }';
    same(await ask(galley, query), { data: { tags: [{ name: "Fog" }] } });
  },
  "a failure is an error in Strapi's envelope": async (galley) => {
    await galley.fail({ path: "/api/tags", status: 503, message: "busy" });
    const { error } = await json(galley.fetch("/api/tags"));
    same([error.status, error.message], [503, "busy"]);
    assert.equal((await galley.fetch("/api/articles")).status, 200);
  },
  "a failure comes as often as said": async (galley) => {
    await galley.fail({ path: "/api/*", after: 1, times: 1 });
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await galley.fetch("/api/tags")).status);
    same(statuses, [200, 500, 200]);
  },
  "an operation of GraphQL fails": async (galley) => {
    await galley.fail({ operation: "Tags", message: "down" });
    assert.equal((await ask(galley, "query Tags { tags { name } }")).errors[0].message, "down");
    assert.equal((await ask(galley, "query Others { tags { name } }")).errors, undefined);
  },
  "a slow server is slow": async (galley) => {
    await galley.slow(80);
    const start = performance.now();
    await galley.fetch("/api/tags");
    assert.ok(performance.now() - start > 70);
  },
  "an offline server breaks off, until it recovers": async (galley) => {
    await galley.offline();
    await assert.rejects(fetch(`${galley.serve()}/api/tags`).then((response) => response.text()));
    await galley.recover();
    assert.equal((await galley.fetch("/api/tags")).status, 200);
  },
  "requests are expected": async (galley) => {
    await galley.fetch("/api/tags?populate=articles&sort=name");
    await galley.expectRequests({ "GET /api/tags?populate=articles": 1, "GET /api/articles": 0 });
  },
  "requests that are missing are an error": async (galley) =>
    assert.rejects(galley.expectRequests({ "GET /api/tags": 1 }), /0 instead of 1/),
  "requests are listed": async (galley) => {
    await galley.fetch("/api/tags?sort=name");
    same(
      (await galley.requests()).map(({ method, path, status }) => [method, path, status]),
      [["GET", "/api/tags?sort=name", 200]],
    );
  },
  "mails are listed with their links": async (galley) => {
    const url = galley.serve();
    const data = { username: "ada", email: "ada@example.org", password: "secret of Ada" };
    await galley.documents("plugin::users-permissions.user").create({ data: { ...data, provider: "local" } });
    await send(galley, "POST", "/api/auth/forgot-password", { email: data.email }, "public");
    const [mail] = await galley.mails();
    assert.equal(mail.to, data.email);
    assert.ok(mail.links[0].startsWith(`${url}/`));
  },
  "the clock is set and advanced": async (galley) => {
    await galley.clock.set("2030-01-01");
    await galley.clock.advance("2 days");
    assert.match((await fog(galley)).createdAt, /^2030-01-03T/);
  },
};
