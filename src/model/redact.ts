import { limits } from './limits.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const redacted = '[redacted]';

/** Same length as the secret, line breaks included, so that a file can be redacted in place. */
function masked(secret: string): string {
  const stars = secret.replace(/[^\n]/g, '*');
  const line = stars.indexOf('\n') === -1 ? stars.length : stars.indexOf('\n');
  return line < redacted.length ? stars : redacted + stars.slice(redacted.length);
}

const secretName = /(?:^|_)(?:API_?KEY|TOKEN)$|SECRET|PASSWORD|PASSWD|PRIVATE_KEY/i;

/** A token format. A text without its hint has no such token; a search for the hint takes much less time. */
interface Shape {
  readonly hint: RegExp;
  readonly pattern: RegExp;
}

const shape = (hint: RegExp, pattern: RegExp): Shape => ({ hint, pattern });

/** Well-known token formats. All repetitions are bounded, so that no text makes them slow. */
const shapes: readonly Shape[] = [
  // A digit is required, since package and branch names may look alike.
  shape(/sk-/, /\bsk-(?=[\w-]{0,256}\d)[\w-]{16,512}/g),
  shape(/gh[pousr]_/, /\bgh[pousr]_[A-Za-z0-9]{20,256}/g),
  shape(/github_pat_/, /\bgithub_pat_\w{20,256}/g),
  shape(/glpat-/, /\bglpat-[\w-]{20,256}/g),
  shape(/npm_/, /\bnpm_[A-Za-z0-9]{36,256}/g),
  shape(/A[KS]IA/, /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g),
  shape(/AIza/, /\bAIza[\w-]{35}/g),
  shape(/xox[abeprs]-/, /\bxox[abeprs]-[\w-]{10,512}/g),
  shape(/eyJ/, /\beyJ[\w-]{10,2048}\.eyJ[\w-]{10,4096}\.[\w-]{10,2048}/g),
  // Marks of `redactFile`, which keep the length of the secret.
  shape(/\[redacted\]/, /\[redacted\]\*{1,20480}/g),
  // Tokens of our own agents; see `protocol/token.ts`.
  shape(/yard:/, /\byard:[\w.-]{1,100}:[\w.-]{1,100}:\d{1,9}:[0-9a-f]{16,64}/g),
  shape(/bearer\s/i, /(?<=\bBearer\s{1,8})[\w.~+/-]{16,4096}={0,2}/gi),
  shape(/:\/\//, /(?<=\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s/:@]{1,64}:)[^\s/@]{1,256}(?=@)/gi),
  shape(/password=/i, /(?<=[?&](?:ssl)?password=)[^\s&#"'[]{1,256}/gi),
  shape(
    /PRIVATE KEY-----/,
    /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|$)/g,
  ),
];
/** Rest of a private key whose beginning is cut off. */
const endOfKey = shape(
  /PRIVATE KEY-----/,
  /^(?:(?!-----BEGIN )[\s\S]){0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----/g,
);

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Redacts secrets in output of a child. */
export interface Redactor {
  whole(text: string): string;
  /**
   * Redacts the text from `from` on; the part before is only context. Pass `limits.redactAheadChars` characters of
   * context, or all there are.
   */
  end(text: string, from: number): string;
  /** Redacts text that arrives in chunks. */
  pieces(): RedactedPieces;
  /** The same for bytes as `latin1` text, each byte replaced by one. */
  bytes(): RedactedPieces;
}

/** Holds back a possible beginning of a secret until the next chunk or the end. */
export interface RedactedPieces {
  push(text: string): string;
  end(): string;
  /** Number of secrets so far. */
  readonly found: number;
}

/** `secrets` are values, see `secretsOf`; well-known token formats are always redacted. */
export function redactor(secrets: readonly string[] = []): Redactor {
  const patterns = [...valueShapes(secrets), ...shapes];
  const bytePatterns = [...valueShapes(secrets.map(asBytes)), ...shapes];
  const whole = (text: string): string => without(text, 0, text.length, rangesIn(text, patterns));
  return {
    whole,
    end(text, from) {
      const cut = from > 0 ? [...patterns, endOfKey] : patterns;
      return without(text, from, text.length, rangesIn(text, cut));
    },
    pieces: () => new Pieces(patterns, () => redacted),
    bytes: () => new Pieces(bytePatterns, masked),
  };
}

/**
 * Values to redact: variables with secret-like names, and everything configured for an agent. Short values are skipped
 * since they occur in any text.
 */
export function secretsOf(
  env: Environment,
  configured: readonly Environment[] = [],
): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    secretName.test(name) ? [value] : [],
  );
  const all = [...named, ...configured.flatMap((values) => Object.values(values))];
  return [...new Set(all.flatMap((value) => (value === undefined ? [] : spellings(value))))];
}

/** A value verbatim, JSON-escaped, URL-encoded, and line by line. */
function spellings(value: string): string[] {
  const trimmed = value.trim();
  const json = JSON.stringify(trimmed).slice(1, -1);
  const lines = trimmed.split('\n').map((line) => line.trim());
  // A lone surrogate cannot be URL-encoded.
  const address = encodeURIComponent(trimmed.replace(/\p{Surrogate}/gu, '\uFFFD'));
  return [trimmed, json, address, ...lines].filter(
    (text) => text.length >= limits.secretMinChars && text.length <= limits.redactAheadChars,
  );
}

function valueShapes(secrets: readonly string[]): Shape[] {
  if (secrets.length === 0) return [];
  // Longest first: one secret may be a prefix of another.
  const words = [...secrets].sort((a, b) => b.length - a.length);
  const literal = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const pattern = literal.join('|');
  return [shape(new RegExp(pattern), new RegExp(pattern, 'g'))];
}

function rangesIn(text: string, sought: readonly Shape[]): Range[] {
  const found = sought.flatMap(({ hint, pattern }) =>
    !hint.test(text)
      ? []
      : [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
          from: index,
          to: index + match.length,
        })),
  );
  return joined(found.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from));
}

function joined(sorted: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last === undefined || range.from >= last.to) result.push(range);
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return result;
}

/** Bytes of a text as `latin1`, without Node. */
function asBytes(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Text between two positions with each range replaced by a mark. */
function without(
  text: string,
  from: number,
  to: number,
  ranges: readonly Range[],
  mark: (secret: string) => string = () => redacted,
): string {
  let result = '';
  let at = from;
  for (const range of ranges) {
    if (range.to <= at || range.from >= to) continue;
    const end = Math.min(range.to, to);
    const start = Math.max(at, range.from);
    result += text.slice(at, start) + mark(text.slice(start, end));
    at = end;
  }
  return result + text.slice(at, to);
}

class Pieces implements RedactedPieces {
  readonly #patterns: readonly Shape[];
  readonly #mark: (secret: string) => string;
  #held = '';
  #found = 0;

  constructor(patterns: readonly Shape[], mark: (secret: string) => string) {
    this.#patterns = patterns;
    this.#mark = mark;
  }

  get found(): number {
    return this.#found;
  }

  push(text: string): string {
    this.#held += text;
    const ranges = rangesIn(this.#held, this.#patterns);
    const lineEnd = this.#held.lastIndexOf('\n') + 1;
    const enough = Math.max(lineEnd, this.#held.length - limits.redactAheadChars);
    // A match at the end may continue in the next chunk.
    const inside = ranges.find(({ from, to }) => from < enough && to >= enough);
    const isKept =
      inside !== undefined && this.#held.length - inside.from <= limits.redactHeldChars;
    return this.#give(isKept ? inside.from : enough, ranges);
  }

  end(): string {
    return this.#give(this.#held.length, rangesIn(this.#held, this.#patterns));
  }

  #give(to: number, ranges: readonly Range[]): string {
    const given = without(this.#held, 0, to, ranges, this.#mark);
    this.#found += ranges.filter(({ from }) => from < to).length;
    this.#held = this.#held.slice(to);
    return given;
  }
}
