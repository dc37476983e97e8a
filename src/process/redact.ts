import { limits } from '../plan/limits.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What stands in a text where a secret was. */
export const redacted = '[redacted]';

const secretName = /(?:^|_)(?:API_?KEY|TOKEN)$|SECRET|PASSWORD|PASSWD|PRIVATE_KEY/i;

/** Tokens that are known by their shape. Every repetition has a bound, so that no text can make them slow. */
const shapes: readonly RegExp[] = [
  // A digit is asked for, since names of packages and branches may look like this as well.
  /\bsk-(?=[\w-]{0,256}\d)[\w-]{16,512}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,256}/g,
  /\bgithub_pat_\w{20,256}/g,
  /\bglpat-[\w-]{20,256}/g,
  /\bnpm_[A-Za-z0-9]{36,256}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bxox[abeprs]-[\w-]{10,512}/g,
  /\beyJ[\w-]{10,2048}\.eyJ[\w-]{10,4096}\.[\w-]{10,2048}/g,
  // By which our own agents are known; see `protocol/token.ts`.
  /\byard:[\w.-]{1,100}:[\w.-]{1,100}:\d{1,9}:[0-9a-f]{16,64}/g,
  /(?<=\bBearer\s{1,8})[\w.~+/-]{16,4096}={0,2}/gi,
  /(?<=\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s/:@]{1,64}:)[^\s/@]{1,256}(?=@)/gi,
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|$)/g,
];
/** The rest of a key whose beginning is not in the text any more. */
const endOfKey = /^(?:(?!-----BEGIN )[\s\S]){0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----/g;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Takes secrets out of text that a child printed. */
export interface Redactor {
  /** The text without secrets. */
  whole(text: string): string;
  /**
   * The text from `from` on without secrets, where what stands before it is only there to recognise one that begins
   * there. To be given as many characters in front as `limits.redactAheadChars`, or all there are.
   */
  end(text: string, from: number): string;
  /** Text that comes in pieces. */
  pieces(): RedactedPieces;
}

/** Whatever may be the beginning of a secret is held back until the next piece, or the end. */
export interface RedactedPieces {
  push(text: string): string;
  end(): string;
}

/** `secrets` are the values themselves, see `secretsOf`; shapes of well-known tokens are taken out in any case. */
export function redactor(secrets: readonly string[] = []): Redactor {
  const patterns = [...valuePatterns(secrets), ...shapes];
  const whole = (text: string): string => without(text, 0, text.length, rangesIn(text, patterns));
  return {
    whole,
    end(text, from) {
      const cut = from > 0 ? [...patterns, endOfKey] : patterns;
      return without(text, from, text.length, rangesIn(text, cut));
    },
    pieces: () => new Pieces(patterns),
  };
}

/**
 * The values that must not be shown: of variables whose names say so, and all that somebody configured for an agent.
 * Short ones are passed over, because they are words of every text.
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

/** A value as it is, as JSON and addresses write it, and line by line. */
function spellings(value: string): string[] {
  const trimmed = value.trim();
  const json = JSON.stringify(trimmed).slice(1, -1);
  const lines = trimmed.split('\n').map((line) => line.trim());
  // Half a character cannot be written in an address.
  const address = encodeURIComponent(trimmed.replace(/\p{Surrogate}/gu, '\uFFFD'));
  return [trimmed, json, address, ...lines].filter(
    (text) => text.length >= limits.secretMinChars && text.length <= limits.redactAheadChars,
  );
}

function valuePatterns(secrets: readonly string[]): RegExp[] {
  if (secrets.length === 0) return [];
  // The longest first: one secret may be the beginning of another.
  const words = [...secrets].sort((a, b) => b.length - a.length);
  const literal = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return [new RegExp(literal.join('|'), 'g')];
}

function rangesIn(text: string, patterns: readonly RegExp[]): Range[] {
  const found = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
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

/** The part between two places, with a mark for each range that reaches into it. */
function without(text: string, from: number, to: number, ranges: readonly Range[]): string {
  let result = '';
  let at = from;
  for (const range of ranges) {
    if (range.to <= at || range.from >= to) continue;
    result += text.slice(at, Math.max(at, range.from)) + redacted;
    at = Math.min(range.to, to);
  }
  return result + text.slice(at, to);
}

class Pieces implements RedactedPieces {
  readonly #patterns: readonly RegExp[];
  #held = '';

  constructor(patterns: readonly RegExp[]) {
    this.#patterns = patterns;
  }

  push(text: string): string {
    this.#held += text;
    const ranges = rangesIn(this.#held, this.#patterns);
    const lineEnd = this.#held.lastIndexOf('\n') + 1;
    const enough = Math.max(lineEnd, this.#held.length - limits.redactAheadChars);
    // What ends with the text may go on in the next piece.
    const inside = ranges.find(({ from, to }) => from < enough && to >= enough);
    const isKept =
      inside !== undefined && this.#held.length - inside.from <= limits.redactHeldChars;
    return this.#give(isKept ? inside.from : enough, ranges);
  }

  end(): string {
    return this.#give(this.#held.length, rangesIn(this.#held, this.#patterns));
  }

  #give(to: number, ranges: readonly Range[]): string {
    const given = without(this.#held, 0, to, ranges);
    this.#held = this.#held.slice(to);
    return given;
  }
}
