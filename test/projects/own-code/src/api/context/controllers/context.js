'use strict';
const { PassThrough } = require('node:stream');
const random = new Set(['filepath', 'newFilename', 'mtime']);
module.exports = {
  captures(ctx) {
    return { captures: ctx.captures, params: ctx.params, routerPath: ctx.routerPath, href: ctx.href === ctx.origin + ctx.originalUrl };
  },
  files(ctx) {
    const { one } = ctx.request.files;
    return {
      json: JSON.parse(JSON.stringify(ctx.request.files, (key, value) => (random.has(key) ? typeof value : value))),
      absent: [one.path, one.name, one.type].every((value) => value === undefined),
      text: String(one).startsWith('PersistentFile: ') && String(one).includes('Original: a.txt'),
      hash: one.hash,
      modified: one.lastModifiedDate instanceof Date,
    };
  },
  vary(ctx) {
    ctx.vary('X-One');
    ctx.vary(['X-One', 'X-Two']);
    ctx.body = 'varied';
  },
  varySet(ctx) {
    ctx.vary('X-One');
    ctx.set('Vary', 'X-Own');
    ctx.vary('X-Two');
    ctx.body = 'varied';
  },
  cookies(ctx) {
    return { secure: ctx.cookies.secure };
  },
  events(ctx) {
    ctx.request.socket.setTimeout(0);
    ctx.req.socket.setNoDelay(true);
    ctx.req.socket.setKeepAlive(true);
    ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache', Connection: 'keep-alive' });
    const stream = new PassThrough();
    ctx.body = stream;
    stream.write('data: 1\n\n');
    setTimeout(() => stream.end('event: last\ndata: {}\n\n'), 10);
  },
  direct(ctx) {
    ctx.respond = false;
    ctx.res.setHeader('X-Own', '1');
    ctx.res.end('direct');
  },
  throws(ctx) {
    const { kind } = ctx.params;
    if (kind === 'object') throw { status: 400, message: 'thrown' };
    if (kind === 'shown') ctx.throw(502, 'shown', { expose: true });
    if (kind === 'hidden') ctx.throw(400, 'hidden', { expose: false });
    if (kind === 'code') throw Object.assign(new Error('unavailable'), { statusCode: 503 });
    ctx.badRequest('refused', { kind });
  },
};
