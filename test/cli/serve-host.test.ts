/** Where a project is served, and what the start says about it. */
import { describe, expect, spyOn, test } from "bun:test";
import os, { networkInterfaces } from "node:os";
import { chooseHost, isLoopbackHost } from "../../src/cli/serve/hosts.ts";

describe("the host", () => {
  const cases: readonly [string, Parameters<typeof chooseHost>, string, string | undefined][] = [
    ["nothing is said", [undefined, undefined, false], "localhost", undefined],
    ["the project says this machine", [undefined, "127.0.0.1", false], "127.0.0.1", undefined],
    ["the project says another loopback address", [undefined, "127.0.0.2", false], "127.0.0.2", undefined],
    ["the project says every interface", [undefined, "0.0.0.0", false], "localhost", "listening on this machine only"],
    ["the same in production", [undefined, "0.0.0.0", true], "0.0.0.0", "other machines can connect"],
    ["the command line says so", ["0.0.0.0", "127.0.0.1", false], "0.0.0.0", "other machines can connect"],
    ["the command line says this machine", ["localhost", "0.0.0.0", true], "localhost", undefined],
  ];
  for (const [name, args, host, notice] of cases) {
    test(name, () => {
      const chosen = chooseHost(...args);
      expect(chosen.host).toBe(host);
      if (notice === undefined) expect(chosen.notice).toBeUndefined();
      else expect(chosen.notice).toContain(notice);
    });
  }
});

test("other machines get the addresses of this one, for a phone with an app in development", () => {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const external = addresses.filter(({ family, internal }) => family === "IPv4" && !internal);
  for (const { address } of external) expect(chooseHost("0.0.0.0", undefined, false).notice).toContain(address);
  expect(chooseHost("127.0.0.1", undefined, false).notice).toBeUndefined();
  expect(chooseHost("cms.example.org", undefined, false).notice).toEndWith("other machines can connect");
});

test("a start needs no permission to list the addresses", () => {
  const listed = spyOn(os, "networkInterfaces").mockImplementation(() => {
    throw new Error("EACCES: permission denied, uv_interface_addresses");
  });
  expect(chooseHost("0.0.0.0", undefined, false).notice).toEndWith("other machines can connect");
  listed.mockRestore();
});

describe("loopback hosts", () => {
  for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "::1", "[::1]", "::ffff:127.0.0.1"])
    test(`${host} is one`, () => expect(isLoopbackHost(host)).toBe(true));
  for (const host of ["0.0.0.0", "::", "192.168.1.2", "127.example.com", "localhost.example.com", ""])
    test(`${host === "" ? "an empty one" : host} is none`, () => expect(isLoopbackHost(host)).toBe(false));
});
