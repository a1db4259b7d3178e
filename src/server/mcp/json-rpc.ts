/** Refusals of the endpoint, which no request of the protocol has reached. */

const refusals = {
  unauthenticated: { status: 401, code: -32000, message: "Authentication required" },
  method: { status: 405, code: -32601, message: "Method not allowed" },
  batch: { status: 400, code: -32600, message: "At most 100 messages are read at once" },
  failure: { status: 500, code: -32603, message: "Internal error" },
} as const;

/** `headers`: those of every response; changed. */
export function refuse(name: keyof typeof refusals, headers: Headers): Response {
  const { status, code, message } = refusals[name];
  headers.set("Content-Type", "application/json");
  if (status === 405) headers.set("Allow", "POST");
  return new Response(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }), { status, headers });
}
