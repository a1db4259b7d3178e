/** Which URLs are called. */
import { expect, test } from "bun:test";
import { post, refusal, type WebhookReach } from "../../../src/engine/webhooks/request.ts";
import { isProxied, isPublicAddress, publicAddress, targetAt } from "../../../src/lib/public-address.ts";

const loopback = [
  "http://localhost:3000/api",
  "http://127.0.0.1/",
  "http://127.9.9.9:80/",
  "http://app.localhost/x",
  "http://[::1]/",
];
const inside = [
  ...[
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://172.20.1.1/",
    "http://169.254.169.254/latest",
    "http://0.0.0.0/",
  ],
  ...["http://100.100.1.1/", "http://[fd00::1]/", "http://[fe80::1]/", "http://[::ffff:10.0.0.1]/", "http://intranet/"],
  ...[
    "http://db.internal/",
    "http://db.internal./",
    "http://printer.local/",
    "http://0x0a000001/",
    "http://224.0.0.1/",
  ],
];
const outside = ["https://example.com/hook", "http://93.184.216.34/", "https://example.com.:8080/"];
const invalid = ["", "x", "file:///etc/passwd", "ftp://example.com/", "javascript:1", "http://"];

const called = (reach: WebhookReach, urls: readonly string[]) =>
  urls.filter((url) => refusal(url, reach) === undefined);

test.each([
  ["off", []],
  ["local", loopback],
  ["public", outside],
] as const)("%s", (send, expected) => {
  const all = [...loopback, ...inside, ...outside, ...invalid];
  expect(called({ send, hosts: [] }, all)).toEqual([...expected]);
});

test("named hosts are called as well, unless webhooks are off", () => {
  const hosts = ["Intranet", "10.0.0.1", "example.com:8443"];
  const urls = [
    "http://intranet:81/",
    "http://10.0.0.1/",
    "http://10.0.0.2/",
    "https://example.com/",
    "https://example.com:8443/",
  ];
  expect(called({ send: "local", hosts }, urls)).toEqual([urls[0]!, urls[1]!, urls[4]!]);
  expect(called({ send: "off", hosts }, urls)).toEqual([]);
});

test("addresses of names", () => {
  const addresses = [
    "93.184.216.34",
    "2606:2800:220:1::1",
    "127.0.0.1",
    "10.1.1.1",
    "::1",
    "::ffff:8.8.8.8",
    "fe80::1",
  ];
  const embedding = ["2002:a00:1::", "2001:0:a00:1::", "2001::1", "64:ff9b::a00:1", "2001:db8::1"];
  expect([...addresses, ...embedding].filter(isPublicAddress)).toEqual(addresses.slice(0, 2));
});

test("a URL at an address of its host", () => {
  expect(targetAt("https://hooks.example:8443/a?b=c", "93.184.216.34")).toEqual({
    url: "https://93.184.216.34:8443/a?b=c",
    host: "hooks.example:8443",
    tls: { serverName: "hooks.example" },
  });
  expect(targetAt("http://hooks.example/", "2606:2800:220:1::1")).toEqual({
    url: "http://[2606:2800:220:1::1]/",
    host: "hooks.example",
  });
});

test("a name without a public address is refused, an IP address is not resolved", async () => {
  await expect(publicAddress("http://localhost/")).rejects.toThrow("reachable over the public internet");
  expect(await publicAddress("http://93.184.216.34/")).toBeUndefined();
});

test("a name without an address is not called: the connection might find a private one", async () => {
  const request = { url: "http://nobody.invalid/", headers: {}, event: "entry.create", body: "{}" };
  const outcome = await post(request, { send: "public", hosts: [] });
  expect(outcome).toEqual({ statusCode: 500, message: "the address of nobody.invalid is not known" });
});

test("a proxy resolves names by itself, except those that are called directly", () => {
  const proxied = { http_proxy: "http://proxy:3128", HTTPS_PROXY: "http://proxy:3128" };
  const isProxiedWith = (no_proxy: string) => isProxied("https://hooks.example/", { ...proxied, no_proxy });
  expect(["", "example.org", "localhost, 10.0.0.1"].map(isProxiedWith)).toEqual([true, true, true]);
  expect(["*", "hooks.example", ".example", "localhost, *.EXAMPLE"].map(isProxiedWith)).toEqual(Array(4).fill(false));
  expect(isProxied("http://hooks.example/", { https_proxy: "http://proxy:3128" })).toBe(false);
});
