/** Who is counted, as whom, and how much of it is kept. */
import { describe, expect, test } from "bun:test";
import { type Client, clientNetwork } from "../../../src/engine/access/client-address.ts";
import { RateLimit, WindowCounter } from "../../../src/engine/access/rate-limit.ts";
import { Clock, SettableClock } from "../../../src/lib/clock.ts";

const client = (address: string | undefined, forwardedFor: string | null = null): Client => ({
  address: () => address,
  forwardedFor,
});

describe("a client's address", () => {
  const PROXIES = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"];
  const cases: readonly [string, Client, readonly string[] | "any" | undefined, string][] = [
    ["is that of the connection", client("203.0.113.7", "1.1.1.1"), undefined, "203.0.113.7"],
    ["is that of the connection from elsewhere", client("203.0.113.7", "1.1.1.1"), PROXIES, "203.0.113.7"],
    ["is what a listed proxy says", client("10.1.2.3", "1.1.1.1, 2.2.2.2"), PROXIES, "2.2.2.2"],
    ["is what the outermost listed proxy says", client("10.1.2.3", "9.9.9.9, 1.1.1.1, 10.0.0.9"), PROXIES, "1.1.1.1"],
    ["is that of the proxy without the header", client("10.1.2.3"), PROXIES, "10.1.2.3"],
    ["is that of the proxy with nonsense in the header", client("10.1.2.3", "x".repeat(9_000)), PROXIES, "10.1.2.3"],
    ["is what a listed proxy of IPv6 says", client("fd00::1", "1.1.1.1"), PROXIES, "1.1.1.1"],
    ["is the last entry with `proxy: true`", client("203.0.113.7", "9.9.9.9, 1.1.1.1"), "any", "1.1.1.1"],
    ["may have a port", client("203.0.113.7", "1.1.1.1:5000"), "any", "1.1.1.1"],
    ["may have brackets and a port", client("203.0.113.7", "[2001:db8::1]:5000"), "any", "2001:db8:0:0"],
    ["of IPv6 stands for its network", client("2001:db8:1:2:3:4:5:6"), undefined, "2001:db8:1:2"],
    ["of IPv6 is one in every spelling", client("2001:0DB8:1:2::9"), undefined, "2001:db8:1:2"],
    ["of IPv4 within IPv6 is one of IPv4", client("::ffff:203.0.113.7"), undefined, "203.0.113.7"],
  ];
  for (const [name, given, proxies, address] of cases)
    test(name, () => expect(clientNetwork(given, proxies)).toBe(address));
});

describe("requests", () => {
  const limit = (enabled: boolean | undefined, proxies?: readonly string[]) =>
    new RateLimit({ enabled, interval: 60_000, max: 3 }, proxies, new WindowCounter(new Clock()));
  const counted = async (rateLimit: RateLimit, clients: readonly Client[]): Promise<number> => {
    let taken = 0;
    for (const one of clients) {
      const { error } = await rateLimit.count("/auth/local", one);
      if (!error) taken++;
    }
    return taken;
  };
  const many = (make: (at: number) => Client) => Array.from({ length: 20 }, (_, at) => make(at));

  const cases: readonly [string, RateLimit, readonly Client[], number][] = [
    ["of one client are limited", limit(undefined), many(() => client("203.0.113.7")), 3],
    ["with changing headers are limited", limit(true), many((at) => client("127.0.0.1", `1.1.1.${at}`)), 3],
    ["with changing headers are limited by default", limit(undefined), many((at) => client("::1", `1.1.1.${at}`)), 3],
    ["from one network of IPv6 are limited", limit(undefined), many((at) => client(`2001:db8::${at}`)), 3],
    ["of many clients are not", limit(undefined), many((at) => client(`203.0.113.${at}`)), 20],
    [
      "behind a proxy are counted apart",
      limit(true, ["10.0.0.1"]),
      many((at) => client("10.0.0.1", `1.1.1.${at}`)),
      20,
    ],
    ["of a developer are not counted", limit(undefined), many(() => client("127.0.0.1")), 20],
    ["of nobody are counted where it is off", limit(false), many(() => client("203.0.113.7")), 20],
  ];
  for (const [name, rateLimit, clients, taken] of cases)
    test(name, async () => expect(await counted(rateLimit, clients)).toBe(taken));

  test("to another spelling of a path are the same", async () => {
    const rateLimit = limit(true);
    for (const path of ["/auth/local", "/AUTH/local", "/auth/local/"]) await rateLimit.count(path, client("1.1.1.1"));
    const { error, headers } = await rateLimit.count("/auth/Local", client("1.1.1.1"));
    expect(error?.message).toStartWith("Too many requests");
    expect(headers).toMatchObject({ "X-RateLimit-Limit": "3", "X-RateLimit-Remaining": "0" });
  });
});

describe("windows", () => {
  test("are bounded in number, and the oldest go first", () => {
    const counter = new WindowCounter(new Clock());
    for (let at = 0; at < 200_000; at++) counter.count(`client ${at}`, 60_000);
    expect(counter.size).toBeLessThanOrEqual(50_000);
    expect(counter.count("client 199999", 60_000).count).toBe(2);
    expect(counter.count("client 0", 60_000).count).toBe(1);
  });

  test("end by a clock that is never set back", () => {
    const clock = new SettableClock();
    clock.set(86_400_000);
    const counter = new WindowCounter(clock);
    for (let at = 0; at < 5; at++) counter.count("client", 1_000);
    clock.set(0);
    expect(counter.count("client", 1_000)).toEqual({ count: 6, until: 1_000 });
    clock.set(1_000);
    expect(counter.count("client", 1_000).count).toBe(1);
  });
});
