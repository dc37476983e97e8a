/** What may stand between double braces in a prompt file. Those of the first kind are the same for a whole run. */
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

/** A prompt file that was read and found right: text, and places where a value goes. */
export interface Template {
  readonly file: string;
  readonly parts: readonly (string | { readonly token: Token })[];
}

/** A piece of a prompt file as it was written. */
export type Piece =
  | { readonly id: 'text'; readonly text: string }
  | { readonly id: 'token'; readonly name: string; readonly line: number }
  | { readonly id: 'include'; readonly path: string; readonly line: number }
  | { readonly id: 'unclosed'; readonly line: number };

/** Two braces that are meant as such. */
const literal = '{{{{';
const include = /^include\s*:(.*)$/;
/** What somebody who writes this between braces meant as a token, rightly or wrongly. */
const tokenLike = /^[A-Za-z_][\w\s.-]*$/;

/**
 * Takes a prompt file apart. A token is one or more words between double braces on one line; anything else between them,
 * such as an object in a component's markup, is text and stays as it is. So do single braces.
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

/** What stands behind two opening braces, where it is meant as a token at all. */
function pieceOf(inner: string, closed: boolean, line: number): Piece | undefined {
  const name = inner.trim();
  const path = include.exec(name)?.[1];
  // A known name is a token whatever follows it, unless it is the key of an object.
  const begins = /^[\w.]+(?!\s*[:,]|[\w.])/.exec(name)?.[0] ?? '';
  const meant = path !== undefined || tokenLike.test(name) || isToken(begins);
  if (!meant) return undefined;
  if (!closed) return { id: 'unclosed', line };
  return path === undefined
    ? { id: 'token', name: name, line }
    : { id: 'include', path: path.trim(), line };
}

export function isToken(name: string): name is Token {
  const known: readonly string[] = [...runTokens, ...taskTokens];
  return known.includes(name);
}

/** Whether it says something else for every task. */
export function isPerTask({ parts }: Template): boolean {
  const own: readonly string[] = taskTokens;
  return parts.some((part) => typeof part !== 'string' && own.includes(part.token));
}

/** The text with the values in it. They are not looked into: braces in the words of a task stay as they are. */
export function render({ parts }: Template, values: TokenValues): string {
  return parts.map((part) => (typeof part === 'string' ? part : values[part.token])).join('');
}
