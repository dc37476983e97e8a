/** Simple command of a shell line: unquoted words, and its folder if known. */
export interface Simple {
  readonly words: readonly string[];
  /** Relative to the repository root; empty for the root. */
  readonly dir: string;
}

const wordPattern =
  /(?:[^\s"'\\;&|()<>#]|\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?|(?<=\S)#)+|&&|\|\||[;&|()\n]|[<>]+&?|#[^\n]*|\\$/g;

/** Words before a command that only change its environment. */
const wrappers = new Set(
  'env exec command time nice nohup sudo cross-env cross-env-shell dotenv dotenvx xvfb-run npx bunx time'.split(
    ' ',
  ),
);
const wrapperPairs = new Set(
  'npm exec;npm x;pnpm exec;pnpm dlx;yarn exec;yarn dlx;bundle exec;uv run;poetry run;pipenv run;hatch run;pdm run;rye run'.split(
    ';',
  ),
);
const shells = /^(?:ba|z|da|k)?sh$/;
/** Maximum nesting of `sh -c "sh -c …"`. */
const depthMax = 4;

/** Commands of a shell text, in order. Skips what it does not understand; never fails. */
export function commandsOf(text: string, dir = '', depth = 0): readonly Simple[] {
  const found: Simple[] = [];
  let here = dir;
  let words: string[] = [];
  const end = (): void => {
    const args = unwrapped(words);
    words = [];
    if (args[0] === 'cd' && args[1] !== undefined) here = within(here, args[1]) ?? here;
    else if (args.length > 0) found.push(...nested({ words: args, dir: here }, depth));
  };
  for (const [token] of text.replace(/\\\n/g, ' ').matchAll(wordPattern)) {
    if (/^(?:&&|\|\||[;&|()\n])$/.test(token)) end();
    else if (!token.startsWith('#') && !/^[<>]/.test(token)) words.push(unquoted(token));
  }
  end();
  return found;
}

/** Replaces `sh -c <text>` by the commands in the text. */
function nested(command: Simple, depth: number): readonly Simple[] {
  const { words, dir } = command;
  if (depth >= depthMax || !shells.test(baseName(words[0] ?? ''))) return [command];
  const at = words.findIndex((word, place) => place > 0 && /^-\w*c$/.test(word));
  const text = at === -1 ? undefined : words[at + 1];
  return text === undefined ? [command] : commandsOf(text, dir, depth + 1);
}

function unwrapped(words: readonly string[]): readonly string[] {
  let rest = words;
  for (;;) {
    const [first = '', second = ''] = rest;
    if (/^[A-Za-z_]\w*=/.test(first) || /^[!{}]$|^(?:then|do|else|if|while|until)$/.test(first)) {
      rest = rest.slice(1);
    } else if (wrapperPairs.has(`${first} ${second}`)) rest = withoutOptions(rest.slice(2));
    else if (wrappers.has(first)) rest = withoutOptions(rest.slice(1));
    else if (first === 'timeout') rest = withoutOptions(rest.slice(1)).slice(1);
    else return rest;
  }
}

function withoutOptions(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-'));
  return at === -1 ? [] : words.slice(at);
}

function unquoted(word: string): string {
  return word.replace(
    /"((?:\\[\s\S]|[^"\\])*)"?|'([^']*)'?|\\([\s\S])/g,
    (_, double, single, escaped) =>
      double !== undefined
        ? String(double).replace(/\\(["\\$`])/g, '$1')
        : String(single ?? escaped ?? ''),
  );
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Repository path of a word used in a folder; undefined if it leads outside. */
export function within(dir: string, word: string): string | undefined {
  if (word === '' || word.startsWith('/') || word.startsWith('~') || word.includes('$'))
    return undefined;
  const parts: string[] = [];
  for (const part of `${dir}/${word}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
