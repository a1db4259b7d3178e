/**
 * Removes credentials from lines of the log: by the names of parameters and keys, and by the shape of values. Every pattern takes linear
 * time, since clients choose the text.
 */

const HIDDEN = "…";
/** How often a value may be encoded, or be a URL with parameters of its own. Deeper ones are hidden. */
const MAX_DEPTH = 4;

/** In the names of credentials, without case and separators: `newPassword`, `X-Amz-Signature`, `filters[resetPasswordToken]`. */
const SECRET_PART =
  /passw|passphrase|passcode|secret|token|jwt|jwe|bearer|signature|credential|apikey|accesskey|privatekey|secretkey|encryptionkey|authorization|session|cookie|verifier|assertion|connectionstring/;

/** Names of credentials that are also words of content: not where a query filters, sorts or populates by them. */
const SECRET_NAME =
  /^(?:auth|authcode|code|confirmation|hash|hmac|keys?|link|magic|mfa|nonce|otp|pass|pin|pwd|salt|sid|sig|ticket|totp|variables)$/;
const CONTENT_PARAMETER = /^(?:filters|populate|sort|fields)\b/i;

/** Values that are credentials under any name, all of at least 20 characters. */
const SECRET_VALUES: readonly RegExp[] = [
  // a JSON Web Token, signed or encrypted: its first part is the beginning of a JSON object
  /(?:ey[A-Z]|ew[o0])[\w-]{5,2000}\.[\w-]{5,}(?:\.[\w-]*){0,3}/g,
  // sign-in links and sessions of the admin page
  /\b(?:link|session)\.[\w-]{16}\.[\da-z]{8,9}\.[\da-z]{8,9}\.[\w-]+/g,
  // tokens, codes and digests
  /[\da-f]{32,}/gi,
  // keys of AWS
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
];

/** Headers, as they are printed. */
const HEADERS =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-(?:api-key|auth-token|csrf-token))(\\*["']?\s*:\s*\\*)(?:"[^"\n]*"?|'[^'\n]*'?|[^"'\n]+)/gi;

/** User and password of a URL: of a server, a database or a mail server. */
const USER_OF_URL = /:\/\/[^\s/?#@"'<>]+@/g;

/** `name=value` in a query, a form or a cookie. */
const PAIR = /(^|[?&#;,\s"'`(])([^?&#;=,\s"'`()<>]+)=([^&\s]*)/g;

/** `name: value` in JSON, GraphQL and printed objects. */
const ENTRY =
  /(?<![\w$-])([\w$-]+)(\\*["']?\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|\\+"[^"]*"?|\d[\w.]*)/g;

const BEARER = /\bBearer\s+[\w+/.~=-]{4,}/g;

/** Random letters and digits, such as base64url: both cases and digits, which change more often than in words. */
const RUN = /[\w+-]{20,}={0,2}/g;
const MIN_CHANGES = 0.35;
/** As long as 30 random bytes, which may have no digit, and seldom change: names are shorter. */
const LONG = 40;
const MIN_CHANGES_OF_LONG = 0.25;

function isRandom(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !(text.length >= LONG || /\d/.test(text))) return false;
  const changes = text.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g)?.length ?? 0;
  return changes >= (text.length >= LONG ? MIN_CHANGES_OF_LONG : MIN_CHANGES) * text.length;
}

/** Also of text that is not quite well encoded, which some servers accept. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

function decodeAll(text: string): string {
  let decoded = text;
  for (let depth = 0; depth < MAX_DEPTH && decoded.includes("%"); depth++) decoded = decode(decoded);
  return decoded;
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, "");

const hasSecretPart = (name: string): boolean => SECRET_PART.test(plainName(name));

/** Whether the values of a parameter or setting are credentials. `name` may be nested: `data[password]`, `auth.secret`. */
export function isSecretName(name: string): boolean {
  const decoded = decodeAll(name);
  if (hasSecretPart(decoded)) return true;
  if (CONTENT_PARAMETER.test(decoded)) return false;
  return decoded.split(/[[\].]+/).some((step) => SECRET_NAME.test(plainName(step)));
}

/** Documents of GraphQL hold arguments. */
const isGraphqlDocument = (name: string, value: string): boolean =>
  plainName(decodeAll(name)) === "query" && /[{(]/.test(decodeAll(value));

const LONG_WORD = /[\w+.-]{20}/;

function redactNamed(text: string, depth: number): string {
  const pairs = text.replace(PAIR, (pair, before: string, name: string, value: string) => {
    if (value === "") return pair;
    const isHidden = depth === 0 || isSecretName(name) || isGraphqlDocument(name, value);
    return `${before}${name}=${isHidden ? HIDDEN : redact(value, depth - 1)}`;
  });
  if (!pairs.includes(":")) return pairs;
  return pairs
    .replace(HEADERS, `$1$2${HIDDEN}`)
    .replace(USER_OF_URL, `://${HIDDEN}@`)
    .replace(ENTRY, (entry, name: string, separator: string) =>
      hasSecretPart(name) ? `${name}${separator}${HIDDEN}` : entry,
    );
}

function redactValues(text: string): string {
  if (!LONG_WORD.test(text)) return text;
  return SECRET_VALUES.reduce((redacted, pattern) => redacted.replace(pattern, HIDDEN), text).replace(RUN, (run) =>
    isRandom(run) ? HIDDEN : run,
  );
}

/** Values may be encoded in part, so that they are looked at before anything of them is replaced. */
function redactEncoded(text: string, depth: number): string {
  if (!text.includes("%")) return text;
  return text.replace(/[^\s/?&#;="'<>]+/g, (piece) => {
    const decoded = piece.includes("%") ? decode(piece) : piece;
    return decoded !== piece && (depth === 0 || redact(decoded, depth - 1) !== decoded) ? HIDDEN : piece;
  });
}

function redact(text: string, depth: number): string {
  return redactValues(redactEncoded(redactNamed(text, depth), depth).replace(BEARER, HIDDEN));
}

/** The text without credentials. */
export const withoutSecrets = (text: string): string => redact(text, MAX_DEPTH);

/** A word that may repeat what a client has sent: part of a URL, of a form or of JSON, or a JSON Web Token. */
const SENT_WORD = /[/?&={]|\bey[A-Z]/;

/** The same for a text that own code has written, which may be about a token that it has created. */
export const withoutSecretsInUrls = (text: string): string =>
  text.replace(/\S+/g, (word) => (SENT_WORD.test(word) ? withoutSecrets(word) : word));
