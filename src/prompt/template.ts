/** Names allowed between double braces. Run tokens have the same value for a whole run. */
export const runTokens = ['project', 'target', 'gate', 'agent', 'run'] as const;
export const taskTokens = [
  'task.id',
  'task.title',
  'task.body',
  'task.type',
  'task.priority',
  'task.labels',
  'attempt',
  'worktree',
] as const;

export type Token = (typeof runTokens)[number] | (typeof taskTokens)[number];
export type TokenValues = Readonly<Record<Token, string>>;

/** A valid prompt file: text and tokens. */
export interface Template {
  readonly file: string;
  readonly parts: readonly (string | { readonly token: Token })[];
}

export type Piece =
  | { readonly id: 'text'; readonly text: string }
  | { readonly id: 'token'; readonly name: string; readonly line: number }
  | { readonly id: 'include'; readonly path: string; readonly line: number }
  | { readonly id: 'unclosed'; readonly line: number };

/** Escape for two literal braces. */
const literal = '{{{{';
const include = /^include\s*:(.*)$/;
/** Text between braces that looks like a token, valid or not. */
const tokenLike = /^[A-Za-z_][\w\s.-]*$/;

/**
 * Splits a prompt file. A token is one or more words between double braces on one line. Anything else between braces,
 * such as an object in JSX, is text.
 */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  text.split('\n').forEach((line, at) => {
    if (at > 0) pieces.push({ id: 'text', text: '\n' });
    pieces.push(...piecesOfLine(line, at + 1));
  });
  return pieces;
}

function piecesOfLine(text: string, line: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let textFrom = 0;
  let at = text.indexOf('{{');
  const flush = (to: number): void => {
    if (to > textFrom) pieces.push({ id: 'text', text: text.slice(textFrom, to) });
  };
  while (at !== -1) {
    let after = at + 1;
    if (text.startsWith(literal, at)) {
      flush(at);
      pieces.push({ id: 'text', text: '{{' });
      after = textFrom = at + literal.length;
    } else {
      const end = text.indexOf('}}', at + 2);
      const piece = pieceOf(text.slice(at + 2, end === -1 ? undefined : end), end !== -1, line);
      if (piece?.id === 'unclosed') return [piece];
      if (piece !== undefined) {
        flush(at);
        pieces.push(piece);
        after = textFrom = end + 2;
      }
    }
    at = text.indexOf('{{', after);
  }
  flush(text.length);
  return pieces;
}

/** The token or include after two opening braces; undefined if it is plain text. */
function pieceOf(inner: string, closed: boolean, line: number): Piece | undefined {
  const name = inner.trim();
  const path = include.exec(name)?.[1];
  // A known name is a token whatever follows it, unless it is the key of an object.
  const begins = /^[\w.]+(?!\s*[:,]|[\w.])/.exec(name)?.[0] ?? '';
  const meant = path !== undefined || tokenLike.test(name) || isToken(begins);
  if (!meant) return undefined;
  if (!closed) return { id: 'unclosed', line };
  return path === undefined
    ? { id: 'token', name, line }
    : { id: 'include', path: path.trim(), line };
}

export function isToken(name: string): name is Token {
  const known: readonly string[] = [...runTokens, ...taskTokens];
  return known.includes(name);
}

/** True if the text differs between tasks. */
export function isPerTask({ parts }: Template): boolean {
  const own: readonly string[] = taskTokens;
  return parts.some((part) => typeof part !== 'string' && own.includes(part.token));
}

/** Fills in the values. Braces inside values stay as they are. */
export function render({ parts }: Template, values: TokenValues): string {
  return parts.map((part) => (typeof part === 'string' ? part : values[part.token])).join('');
}
