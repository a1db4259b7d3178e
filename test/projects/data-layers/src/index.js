'use strict';
module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    if ((await strapi.db.query('api::tag.tag').count()) > 0) return;
    const create = (name, data, options = {}) => strapi.documents(`api::${name}.${name}`).create({ data, ...options });
    const tags = [];
    for (const [index, name] of ['red', 'green', 'blue', 'Grey'].entries()) tags.push((await create('tag', { name, rank: 4 - index })).documentId);
    const [red, green, blue] = tags;
    const ann = (await create('author', { name: 'Ann', email: 'ann@x.test', favourite: red, profile: { title: 'about Ann', rank: 1, link: { url: 'ann' }, links: [{ url: 'a1' }, { url: 'a2' }], tag: red, tags: [green, blue] }, cards: [{ title: 'c1', rank: 2 }, { title: 'c2', rank: 1 }], zone: [{ __component: 'basic.quote', body: 'q1', by: 'me' }, { __component: 'basic.card', title: 'z1', link: { url: 'zone' } }] })).documentId;
    const bob = (await create('author', { name: 'Bob', email: 'bob@x.test', friends: [ann], boss: ann })).documentId;
    const cyd = (await create('author', { name: 'Cyd', boss: ann, friends: [bob, ann] })).documentId;
    const detail = (await create('detail', { text: 'more' })).documentId;
    const full = { title: 'First', slug: 'first', text: 'long', views: 10, big: '123', price: 9.5, rating: 1.25, active: true, day: '2024-01-02', at: '2024-01-02T03:04:05.000Z', time: '10:20:30.000', meta: { a: [1] }, mood: 'good', hidden: 'h', author: ann, tags: [red, blue], detail, hero: { title: 'hero', rank: 3, link: { url: 'h' }, tag: blue }, cards: [{ title: 'one' }, { title: 'two', links: [{ url: 'l1' }, { url: 'l2' }] }], zone: [{ __component: 'basic.card', title: 'zoned' }, { __component: 'basic.quote', body: 'said', by: 'Bob' }] };
    const first = (await create('article', full, { status: 'published' })).documentId;
    await create('article', { title: 'Second', slug: 'second', views: 5, active: false, mood: 'bad', author: ann, tags: [green, red], related: [first], next: first, day: '2024-02-03', price: 1 });
    await create('article', { title: 'third', views: null, author: bob, related: [first] }, { status: 'published' });
    await create('article', { title: 'Fourth % of_all', views: 20, text: 'LONG' });
    await create('page', { title: 'home', count: 1 }, { status: 'published' });
    const page = await strapi.documents('api::page.page').findFirst();
    await strapi.documents('api::page.page').update({ documentId: page.documentId, locale: 'fr', data: { title: 'accueil' } });
    await strapi.db.query('api::note.note').create({ data: { text: 'n1' } });
    await strapi.db.query('api::note.note').create({ data: { text: 'n2' } });
  },
};
