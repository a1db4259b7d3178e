import { remoteAddress } from "../../src/transfer/remote/address.ts";

/** A server with the protocol of Strapi's transfers: collects what is pushed, and what is to be deleted before. `mayPull`: the right of the token. */
export function receiver(schemas: readonly { readonly uid: string }[], mayPull = true) {
  const received: { entities: unknown[]; links: unknown[]; [stage: string]: unknown[] } = { entities: [], links: [] };
  const actions: string[] = [];
  const steps: string[] = [];
  const restores: unknown[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, self) => {
      if (!mayPull && request.url.endsWith("/pull")) return new Response("no", { status: 401 });
      return self.upgrade(request) ? undefined : new Response("no");
    },
    websocket: {
      message: (socket, text) => {
        const send = (message: object): void => void socket.send(JSON.stringify(message));
        const { uuid, kind, action, step, data, params } = JSON.parse(String(text));
        if (kind === "action") actions.push(action);
        if (kind === "step" && action === "start") steps.push(step);
        if (params?.options) restores.push(params.options.restore);
        if (kind === "step" && action === "stream") received[step]?.push(...data);
        const answer = action === "getSchemas" ? Object.fromEntries(schemas.map((it) => [it.uid, it])) : {};
        send({ uuid, data: { transferID: "t", ...answer } });
        // the settings, which a push reads first: there are none
        if (step === "configuration" && action === "start") send({ uuid: crypto.randomUUID(), data: { ended: true } });
      },
    },
  });
  return {
    received,
    actions,
    steps,
    restores,
    address: remoteAddress(`http://127.0.0.1:${server.port}/admin`),
    server,
  };
}
