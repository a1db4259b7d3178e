/** Limits an operation's text before it is parsed: the parser is recursive. */
import { GraphQLError, Lexer, Source, type Token, TokenKind } from "graphql";

const MAX_TOKENS = 20_000;
const MAX_NESTING = 200;
/** graphql-js counts lines from the start for each error. */
const MAX_LINES = 10_000;

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

const refuse = (message: string): never => {
  throw new GraphQLError(message, { extensions: { code: "GRAPHQL_PARSE_FAILED" } });
};

/** Undefined at a syntax error, which the parser will report. */
function advance(lexer: Lexer): Token | undefined {
  try {
    return lexer.advance();
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

function checkLines(text: string): void {
  if (text.length <= MAX_LINES) return;
  let lines = 0;
  for (const _ of text.matchAll(/[\n\r]/g)) {
    if (++lines > MAX_LINES) refuse(`The operation has more than ${MAX_LINES} lines`);
  }
}

/** Calls `onToken` for each token. Throws for too many tokens or lines, and for too deep nesting. */
export function checkText(text: string, onToken: (token: Token) => void): void {
  checkLines(text);
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  for (let tokens = 0; tokens <= MAX_TOKENS; tokens++) {
    const token = advance(lexer);
    if (!token || token.kind === TokenKind.EOF) return;
    onToken(token);
    const { kind } = token;
    if (opening.has(kind)) depth++;
    else if (closing.has(kind)) depth--;
    if (depth > MAX_NESTING) refuse(`The operation is nested deeper than ${MAX_NESTING} levels`);
  }
  refuse(`The operation has more than ${MAX_TOKENS} tokens`);
}
