/** Nothing but a port: compiled like Galley, it shows what an executable costs before its program begins. */
Bun.serve({ hostname: "127.0.0.1", port: Number(process.argv[2]), fetch: () => new Response() });
