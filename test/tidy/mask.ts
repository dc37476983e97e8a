// Splits TypeScript text into code and comments without a parser. Both results have the length and
// the line breaks of the input, so an offset in one is an offset in all.

export interface Masked {
  /** The text with comments and the insides of strings, templates and patterns blanked. */
  readonly code: string;
  /** The text with everything but comments blanked. */
  readonly comments: string;
}

/** A slash after one of these starts a pattern, not a division. */
const BEFORE_PATTERN =
  /(?:^|[([{,;=:!&|?+\-*%~^<>}]|\b(?:return|typeof|case|in|of|void|throw))\s*$/;
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y;
const QUOTED = /'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;
/** How far back a slash looks for what stands before it. */
const LOOK_BACK_CHARS = 40;

export function mask(text: string): Masked {
  let code = '';
  let comments = '';
  /** Brace depth inside each open `${`; empty outside templates. */
  const holes: number[] = [];
  let at = 0;

  const take = (piece: string, kind: 'code' | 'comment' | 'quoted'): void => {
    code += kind === 'code' ? piece : kind === 'quoted' ? hollow(piece) : blank(piece);
    comments += kind === 'comment' ? piece : blank(piece);
    at += piece.length;
  };
  const templateText = (): void => {
    take(match(TEMPLATE_TEXT, text, at), 'quoted');
    if (text[at] === '`') take('`', 'code');
    else if (text.startsWith('${', at)) {
      take('${', 'code');
      holes.push(0);
    }
  };

  while (at < text.length) {
    const char = text[at] ?? '';
    const comment = char === '/' ? match(COMMENT, text, at) : '';
    const pattern = char === '/' && comment === '' ? patternAt(text, at, code) : '';
    const depth = holes.at(-1);
    if (comment !== '') take(comment, 'comment');
    else if (pattern !== '') take(pattern, 'quoted');
    else if (char === "'" || char === '"') take(match(QUOTED, text, at), 'quoted');
    else if (char === '`') {
      take(char, 'code');
      templateText();
    } else if (char === '}' && depth === 0) {
      holes.pop();
      take(char, 'code');
      templateText();
    } else {
      if (depth !== undefined && char === '{') holes[holes.length - 1] = depth + 1;
      if (depth !== undefined && char === '}') holes[holes.length - 1] = depth - 1;
      take(char, 'code');
    }
  }
  return { code, comments };
}

function patternAt(text: string, at: number, before: string): string {
  return BEFORE_PATTERN.test(before.slice(-LOOK_BACK_CHARS)) ? match(PATTERN, text, at) : '';
}

function match(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? '';
}

function blank(piece: string): string {
  return piece.replace(/[^\n]/g, ' ');
}

/** Blanks the inside and keeps the quotes, so that a string still looks like one. */
function hollow(piece: string): string {
  if (piece.length < 2 || !/^['"/]/.test(piece)) return blank(piece);
  return `${piece[0]}${blank(piece.slice(1, -1))}${piece.at(-1)}`;
}
