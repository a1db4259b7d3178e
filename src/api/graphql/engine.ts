/** Yoga with Galley's schema: parsing, validation and execution, with caches, and with limits before each step. */
import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse, type ValidationRule } from "graphql";
import { LRUCache } from "lru-cache";
import type { Settings } from "../../engine/config/settings.ts";
import { depthRule } from "./limits/depth-rule.ts";
import { introspectionLimit } from "./limits/introspection-cost.ts";
import { checkSelections } from "./limits/selections.ts";
import { type PreparedDocument, PreparedReads } from "./prepared/prepared-reads.ts";
import { ValidatedTexts } from "./prepared/validated-texts.ts";
import { createYoga, type Plugin, type Yoga } from "./yoga.ts";

const MESSAGE =
  "GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. To enable introspection, pass introspection: true to ApolloServer in production";

const introspectionRule: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value !== "__schema" && node.name.value !== "__type") return;
    const extensions = { validationErrorCode: "INTROSPECTION_DISABLED" };
    context.reportError(new GraphQLError(MESSAGE, { nodes: node, extensions }));
  },
});

/** Size of the cache of parsed documents, in characters; a document takes some hundred bytes per token. */
const MAX_CACHED = 60_000;

/** Limited by size instead of number, so that long operations cannot exhaust memory. */
const cache = <T extends object>() =>
  new LRUCache<string, T>({ maxSize: MAX_CACHED, sizeCalculation: (_value, text) => text.length + 1 });

/** Uses the executor of graphql-js, whose error messages Strapi returns. */
const executorPlugin = (): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
});

const parsingPlugin = (
  texts: ValidatedTexts<PreparedDocument>,
  checks: readonly ((document: DocumentNode) => void)[],
): Plugin => ({
  onParse({ setParseFn }) {
    setParseFn((source) => {
      const text = typeof source === "string" ? source : source.body;
      // checks the limits of the text before it is parsed
      texts.parameterized(text);
      const document = parse(source);
      for (const check of checks) check(document);
      texts.setText(document, text);
      return document;
    });
  },
});

const validationPlugin = (texts: ValidatedTexts<PreparedDocument>, rules: readonly ValidationRule[]): Plugin => ({
  onValidate({ params: { documentAST }, addValidationRule, setResult }) {
    if (texts.has(documentAST)) {
      setResult([]);
      return;
    }
    const { rule, record } = texts.createRecorder(documentAST);
    for (const validationRule of [...rules, rule]) addValidationRule(validationRule);
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
    // HTTP is handled in endpoint.ts
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    maskedErrors: false,
    logging: false,
    parserAndValidationCache: { documentCache: cache(), errorCache: cache() },
    plugins: [
      executorPlugin(),
      parsingPlugin(texts, [checkSelections, introspectionLimit(schema)]),
      validationPlugin(texts, rules),
    ],
  });
  return { yoga, prepared: new PreparedReads(schema, texts) };
}
