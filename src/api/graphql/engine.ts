/** Yoga with Galley's schema: parsing, validation and execution with their caches, and the limits before each of them. */
import { type DocumentNode, execute, type GraphQLSchema, parse, type ValidationRule } from "graphql";
import { LRUCache } from "lru-cache";
import type { Settings } from "../../config/settings.ts";
import { depthRule } from "./limits/depth-rule.ts";
import { introspectionLimit } from "./limits/introspection-cost.ts";
import { introspectionRule } from "./limits/introspection-rule.ts";
import { checkSelections } from "./limits/selections.ts";
import { type PreparedDocument, PreparedReads } from "./prepared/prepared-reads.ts";
import { ValidatedTexts } from "./prepared/validated-texts.ts";
import { createYoga, type Plugin, type Yoga } from "./yoga.ts";

/** Characters of all texts whose documents are kept; a document takes some hundred bytes for each of its tokens. */
const MAX_CACHED = 60_000;

/** Limited by size rather than number, so that long operations cannot fill the memory. */
const cache = <T extends object>() =>
  new LRUCache<string, T>({ maxSize: MAX_CACHED, sizeCalculation: (_value, text) => text.length + 1 });

/** The words of errors are those of graphql-js, whose executor this is. */
const executor = (): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
});

const parsing = (
  texts: ValidatedTexts<PreparedDocument>,
  checks: readonly ((document: DocumentNode) => void)[],
): Plugin => ({
  onParse({ setParseFn }) {
    setParseFn((source) => {
      const text = typeof source === "string" ? source : source.body;
      // refuses what the parser must not be given
      texts.parameterized(text);
      const document = parse(source);
      for (const check of checks) check(document);
      texts.remember(document, text);
      return document;
    });
  },
});

const validation = (texts: ValidatedTexts<PreparedDocument>, rules: readonly ValidationRule[]): Plugin => ({
  onValidate({ params: { documentAST }, addValidationRule, setResult }) {
    if (texts.has(documentAST)) {
      setResult([]);
      return;
    }
    const { rule, record } = texts.recorder(documentAST);
    for (const each of [...rules, rule]) addValidationRule(each);
    return ({ valid }) => {
      if (valid) record();
    };
  },
});

export interface Engine {
  readonly yoga: Yoga;
  readonly prepared: PreparedReads;
}

export function createEngine(schema: GraphQLSchema, { depthLimit, introspection }: Settings["graphql"]): Engine {
  const rules = [depthRule(depthLimit), ...(introspection ? [] : [introspectionRule])];
  const texts = new ValidatedTexts<PreparedDocument>(MAX_CACHED);
  const yoga = createYoga({
    schema,
    // HTTP is not Yoga's here: see the endpoint
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    maskedErrors: false,
    logging: false,
    parserAndValidationCache: { documentCache: cache(), errorCache: cache() },
    plugins: [executor(), parsing(texts, [checkSelections, introspectionLimit(schema)]), validation(texts, rules)],
  });
  return { yoga, prepared: new PreparedReads(schema, texts) };
}
