/** Language families with similar comments, strings, assertions and skips. */
export type Language =
  | 'js'
  | 'python'
  | 'go'
  | 'rust'
  | 'jvm'
  | 'ruby'
  | 'csharp'
  | 'php'
  | 'shell'
  | 'other';

const endings: Readonly<Record<string, Language>> = Object.fromEntries(
  (
    [
      ['js', 'js jsx ts tsx mjs cjs mts cts vue svelte'],
      ['python', 'py pyi'],
      ['go', 'go'],
      ['rust', 'rs'],
      ['jvm', 'java kt kts scala groovy'],
      ['ruby', 'rb'],
      ['csharp', 'cs fs vb'],
      ['php', 'php phpt'],
      ['shell', 'sh bash zsh bats'],
      ['other', 'c cc cpp cxx h hpp m mm swift dart ex exs lua pl t hs jl'],
    ] as const
  ).flatMap(([language, list]) => list.split(' ').map((ending) => [ending, language])),
);

/** Undefined if the name does not look like code. */
export function languageOf(path: string): Language | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/** Views of one text with identical offsets. */
export interface Code {
  readonly language: Language;
  readonly text: string;
  readonly bare: string;
  /** Without comments and string contents; quotes stay. */
  readonly code: string;
}

/** End of text; `$` alone matches any line end. */
const end = String.raw`$(?![\s\S])`;
const slashes = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|${end})`;
const hash = String.raw`(?<![^\s;])#[^\n]*`;
const double = String.raw`"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?`;
const single = String.raw`'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?`;
const triple = String.raw`"""[\s\S]*?(?:"""|${end})`;
/** Character literal; a lone quote may be a lifetime or part of a number. */
const char = String.raw`'(?:\\[^'\n]{1,8}|[^'\\\n])'`;
const raw = '`[^`]*`?';
const template = '`[^`\\\\]*(?:\\\\[\\s\\S][^`\\\\]*)*`?';
const pattern = String.raw`(?<=[([{,;=:!&|?+*%~^<>}]\s{0,8}|\breturn\s{1,8}|^\s{0,80})\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/*\\[\n])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])*\/`;

/** Comments and strings; everything else is code. */
const tokens: Readonly<Record<Language, RegExp>> = {
  js: made(slashes, double, single, template, pattern),
  python: made(String.raw`#[^\n]*`, triple, String.raw`'''[\s\S]*?(?:'''|${end})`, double, single),
  go: made(slashes, double, raw, char),
  rust: made(slashes, double, char),
  jvm: made(slashes, triple, double, char),
  ruby: made(hash, String.raw`^=begin[\s\S]*?(?:^=end|${end})`, double, single),
  csharp: made(slashes, triple, double, char),
  php: made(slashes, String.raw`#(?!\[)[^\n]*`, double, single),
  shell: made(hash, double, single),
  other: made(slashes, double, char),
};

function made(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join('|'), 'gm');
}

/** Rough tokenizer that never fails. */
export function codeOf(language: Language, text: string): Code {
  const bare: string[] = [];
  const code: string[] = [];
  let at = 0;
  for (const { 0: token, index } of text.matchAll(tokens[language])) {
    const between = text.slice(at, index);
    bare.push(between, isComment(token) ? blank(token) : token);
    code.push(between, isComment(token) ? blank(token) : emptied(token));
    at = index + token.length;
  }
  const rest = text.slice(at);
  return { language, text, bare: bare.join('') + rest, code: code.join('') + rest };
}

function isComment(token: string): boolean {
  return token.startsWith('//') || token.startsWith('/*') || /^(?:#|=begin)/.test(token);
}

function blank(token: string): string {
  return token.includes('\n') ? token.replace(/[^\n]+/g, spaces) : ' '.repeat(token.length);
}

function spaces(piece: string): string {
  return ' '.repeat(piece.length);
}

function emptied(token: string): string {
  if (token.length < 2) return token;
  return `${token[0]}${blank(token.slice(1, -1))}${token.at(-1)}`;
}
