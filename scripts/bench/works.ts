/** What is measured: each workload is a list of requests that a client sends in turn. */

/** What the data's documents are called, to ask for them. */
export interface Ids {
  readonly articles: readonly string[];
  readonly categories: readonly string[];
  readonly tags: readonly string[];
}

/** What a server has to offer. */
export interface Content {
  readonly ids: Ids;
  readonly articles: number;
  /** A file with the body of an upload, and the content type of that. */
  readonly upload: { readonly file: string; readonly type: string };
}

/** With fewer, some workloads would find less than they ask for. */
export const MIN_ARTICLES = 1000;

export interface Work {
  readonly name: string;
  readonly about: string;
  /** METHOD<TAB>PATH<TAB>BODY<TAB>CONTENT-TYPE; a body "@file" is that file's content, and "{{n}}" is a number that never comes again. */
  readonly requests: (content: Content) => readonly string[];
  /** What is wrong with an answer's body, if anything. */
  readonly check: (body: unknown) => string | undefined;
  /** Galley's speed must be at least this part of the floor's. */
  readonly leastOfFloor: number;
  /** Two servers answer with ids and times of their own. */
  readonly writes?: true;
}

/** With the brackets and spaces of a path encoded. */
export const encodePath = (path: string): string =>
  path.replace(/\[/g, "%5B").replace(/\]/g, "%5D").replace(/ /g, "%20");
const get = (path: string): string => `GET\t${encodePath(path)}`;
const many = (count: number, line: (index: number) => string): string[] =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => line(index));
const graphql = (query: string): string => `POST\t/graphql\t${JSON.stringify({ query })}`;

/** An unknown parameter is ignored, but makes another address: no answer is there already. */
const DISTINCT = "n={{n}}";

type Check = Work["check"];
type Fields = Readonly<Record<string, unknown>>;

const POPULATED = ["author", "category", "tags", "seo", "sections"];

/** Names of those attributes that a document leaves empty. */
const empty = (document: Fields, names: readonly string[]): string[] =>
  names.filter((name) => {
    const value = document[name];
    return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  });

const has =
  (...names: string[]): Check =>
  (body) => {
    const missing = empty((body as { data: Fields }).data, names);
    return missing.length > 0 ? `${missing} missing` : undefined;
  };

/** `count` undefined: any number but none. */
const createPage =
  (count: number | undefined, ...names: string[]): Check =>
  (body) => {
    const { data } = body as { data: readonly Fields[] };
    if (count === undefined ? data.length === 0 : data.length !== count) return `${data.length} documents`;
    const missing = data.flatMap((document) => empty(document, names));
    return missing.length > 0 ? `${missing} missing` : undefined;
  };

const graphqlList: Check = (body) => {
  const { data } = body as { data?: { articles: readonly Fields[] } };
  if (data?.articles.length !== 10) return `${data?.articles.length} documents`;
  const missing = data.articles.flatMap((article) => empty(article, ["title", "author", "category", "tags"]));
  return missing.length > 0 ? `${missing} missing` : undefined;
};

export const works: readonly Work[] = [
  {
    name: "list",
    about: "25 documents, all pages in turn",
    leastOfFloor: 0.45,
    check: createPage(25),
    requests: ({ articles }) =>
      many(articles / 25, (i) => get(`/api/articles?sort=views&pagination[page]=${i + 1}&${DISTINCT}`)),
  },
  {
    name: "one",
    about: "one document, each in turn",
    leastOfFloor: 0.25,
    check: has("title", "body"),
    requests: ({ ids }) => ids.articles.map((id) => get(`/api/articles/${id}?${DISTINCT}`)),
  },
  {
    name: "populate",
    about: "25 documents with populate=*, all pages in turn",
    leastOfFloor: 0.3,
    check: createPage(25, ...POPULATED),
    requests: ({ articles }) =>
      many(articles / 25, (i) => get(`/api/articles?populate=*&sort=views&pagination[page]=${i + 1}&${DISTINCT}`)),
  },
  {
    name: "deep",
    about: "10 documents filtered through a relation, sorted, populated two levels",
    leastOfFloor: 0.2,
    check: createPage(10, "author", "category", "tags", "sections"),
    requests: ({ articles }) =>
      // from the first half, so that each category has ten documents beyond
      many(40_000, (i) =>
        get(
          `/api/articles?filters[category][slug][$eq]=category-${i % 50}&filters[views][$gte]=${i % Math.min(997, (articles >> 1) - 50)}&sort=publishDate:desc&populate[author][fields][0]=name&populate[tags]=true&populate[category][populate][parent]=true&populate[sections][populate]=*&pagination[pageSize]=10&${DISTINCT}`,
        ),
      ),
  },
  {
    name: "search",
    about: "$containsi over every title",
    leastOfFloor: 0.09,
    check: createPage(undefined, "title"),
    requests: ({ articles }) =>
      many(Math.min(5000, articles), (i) =>
        get(`/api/articles?filters[title][$containsi]=NUMBER ${i}&pagination[pageSize]=10&${DISTINCT}`),
      ),
  },
  {
    name: "graphql",
    about: "GraphQL: 10 documents with author, category and tags",
    leastOfFloor: 0.08,
    check: graphqlList,
    requests: ({ articles }) =>
      many(Math.min(5000, articles - 10), (i) =>
        graphql(
          `{ articles(filters: {views: {gte: ${i}}}, sort: "views", pagination: {limit: 10}) { documentId title slug author { name } category { name } tags { label } } } # {{n}}`,
        ),
      ),
  },
  {
    name: "same",
    about: "the same populated list again and again",
    leastOfFloor: 0.6,
    check: createPage(25, ...POPULATED),
    requests: () => [get("/api/articles?populate=*&sort=views")],
  },
  {
    name: "pages",
    about: "25 documents with populate=*, all pages in turn, answers kept",
    leastOfFloor: 0.45,
    check: createPage(25, ...POPULATED),
    requests: ({ articles }) =>
      many(Math.min(400, articles / 25), (i) => get(`/api/articles?populate=*&sort=views&pagination[page]=${i + 1}`)),
  },
  {
    name: "create",
    about: "create and publish a document with two relations and a component",
    leastOfFloor: 0.18,
    writes: true,
    check: has("documentId"),
    requests: ({ ids: { categories, tags } }) =>
      many(100, (i) => {
        const relations = { category: categories[i % categories.length], tags: [tags[i % tags.length]] };
        const seo = { metaTitle: "Meta", metaDescription: "Description" };
        const data = { title: "Created {{n}}", slug: "created-{{n}}", views: 5, ...relations, seo };
        return `POST\t/api/articles\t${JSON.stringify({ data })}`;
      }),
  },
  {
    name: "update",
    about: "update one attribute of a document",
    leastOfFloor: 0.18,
    writes: true,
    check: has("views"),
    requests: ({ ids }) =>
      ids.articles.slice(0, 2000).map((id) => `PUT\t/api/articles/${id}\t{"data":{"views":{{n}}}}`),
  },
  {
    name: "publish",
    about: "publish the draft of a document",
    leastOfFloor: 0.18,
    writes: true,
    check: has("publishedAt"),
    requests: ({ ids }) => ids.articles.slice(0, 2000).map((id) => `PUT\t/api/articles/${id}\t{"data":{}}`),
  },
  {
    name: "mixed",
    about: "nine reads of distinct populated lists to one update",
    leastOfFloor: 0.2,
    writes: true,
    check: (body) =>
      Array.isArray((body as { data: unknown }).data) ? createPage(25, "category", "tags")(body) : has("views")(body),
    requests: ({ ids, articles }) =>
      many(400, (i) =>
        i % 10 === 9
          ? `PUT\t/api/articles/${ids.articles[i % ids.articles.length]}\t{"data":{"views":{{n}}}}`
          : get(
              `/api/articles?populate=*&sort=views&pagination[page]=${1 + (i % Math.max(1, Math.floor(articles / 25)))}&${DISTINCT}`,
            ),
      ),
  },
  {
    name: "upload",
    about: "upload of an image, with its smaller copies",
    leastOfFloor: 0.4,
    writes: true,
    check: (body) => ((body as [{ formats: Fields | null }])[0].formats?.thumbnail ? undefined : "no thumbnail"),
    requests: ({ upload }) => [`POST\t/api/upload\t@${upload.file}\t${upload.type}`],
  },
];
