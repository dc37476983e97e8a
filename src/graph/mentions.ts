import type { Task } from '../model/task.ts';

/** The part of a task that names something. `text` is its title and body. */
export type TaskPart = 'paths' | 'text' | 'acceptance';

export type Mentions = ReadonlyMap<string, readonly TaskPart[]>;

/** Files and folders that a task names: in its paths, and in its text. A folder ends with a slash. */
export function artifactsOf(task: Task): readonly string[] {
  return [...mentionedFiles(task).keys()];
}

/** The same, with the parts that name them. */
export function mentionedFiles({ title, body, paths, acceptance }: Task): Mentions {
  const found = new Map<string, TaskPart[]>();
  for (const glob of paths) mention(found, fixedPart(glob), 'paths');
  for (const word of wordsOf(`${title}\n${body}`)) mention(found, pathIn(word), 'text');
  for (const word of wordsOf(acceptance.join('\n'))) mention(found, pathIn(word), 'acceptance');
  return found;
}

/** Functions and types that a task has in backticks. Very common words are left out. */
export function mentionedSymbols({ title, body, acceptance }: Task): Mentions {
  const names = new Map<string, TaskPart[]>();
  const read = (text: string, part: TaskPart): void => {
    for (const { 1: span = '' } of text.matchAll(/`([^`\n]{4,80})`/g)) {
      const name = symbolIn(span);
      if (name !== undefined && !isCommon(name)) mention(names, [name], part);
    }
  };
  read(`${title}\n${body}`, 'text');
  read(acceptance.join('\n'), 'acceptance');
  return names;
}

function mention(found: Map<string, TaskPart[]>, names: readonly string[], part: TaskPart): void {
  for (const name of names) {
    const parts = found.get(name);
    if (parts === undefined) found.set(name, [part]);
    else if (!parts.includes(part)) parts.push(part);
  }
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s`'"()<>[\]{},;|]+/);
}

/** The part of a glob before its first wildcard; nothing if that is the whole repository. */
function fixedPart(glob: string): readonly string[] {
  const wild = glob.search(/[*?[{]/);
  if (wild === -1) return [glob.replace(/^\.\//, '')];
  const folder = glob.slice(0, wild).replace(/[^/]*$/, '');
  return folder === '' ? [] : [folder.replace(/^\.\//, '')];
}

/** Beginnings of words that are paths although they have no extension. */
const roots = /^(?:\.{0,2}\/|~\/|src\/|docs?\/|tests?\/|lib\/|app\/|packages\/)/;

/** A word that is a path inside the repository, without the punctuation around it. */
function pathIn(word: string): readonly string[] {
  if (!word.includes('/')) return fileAtTop(word);
  const bare = word.replace(/^[^\w.~/]+|[^\w/*]+$/g, '');
  if (bare.length < 3 || !bare.includes('/') || bare.includes('//')) return [];
  if (!roots.test(bare) && !/\/[^/]*\.\w{1,8}$/.test(bare)) return [];
  return fixedPart(bare.replace(/^(?:\.\/)+/, ''));
}

/** Names of files that people write. `js` is missing, because it ends names of products: `node.js`. */
const knownFile =
  /^\.?[A-Za-z_][\w-]*(?:\.[\w-]+)*\.(?:adoc|bash|c|cc|cfg|cjs|cpp|cs|css|csv|cts|go|gradle|graphql|h|hpp|html|ini|java|json|jsonc|jsx|kt|lock|lua|md|mdx|mjs|mts|php|proto|py|rb|rs|rst|scala|scss|sh|sql|svelte|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig)$/;

const domains = new Set(['docs.rs', 'bun.sh', 'brew.sh']);

/** A word that is the name of a file without a folder. Names that many folders have are left out. */
function fileAtTop(word: string): readonly string[] {
  const bare = word.replace(/^[^\w.]+|[^\w]+$/g, '');
  return knownFile.test(bare) && !isCommon(bare) && !domains.has(bare) ? [bare] : [];
}

const declared =
  /^(?:(?:export|async|abstract|public|pub) )*(?:class|interface|type|enum|struct|trait|function|func|fn|def|const) ([A-Za-z_$][\w$]*)/;
const called = /^(?:[\w$]+(?:\.|::))*([A-Za-z_$][\w$]*)\([^`]*\)$/;
/** A word in mixed case or with an underscore inside. */
const compound = /^(?=.*(?:[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z]))[A-Za-z_$][\w$]*$/;

/** The name in a piece of code that declares, calls or names a symbol. */
function symbolIn(span: string): string | undefined {
  return declared.exec(span)?.[1] ?? called.exec(span)?.[1] ?? compound.exec(span)?.[0];
}

/** Names that many unrelated tasks have in common; of files, without the extension. */
const commonNames = new Set(
  [
    'apply assert bind call catch close config console const constructor create data default delete describe',
    'error expect export filter find foreach handler import index init item list load main name node node_env node_modules',
    'object open package package-lock parse print println promise push query read readme changelog license',
    'remove render request require response result save send setup start stop string tests test then tostring',
    'tsconfig update user value write cargo pyproject __init__ __main__',
  ]
    .join(' ')
    .split(' '),
);

function isCommon(name: string): boolean {
  return name.length < 4 || commonNames.has(name.toLowerCase().replace(/\.[^.]*$/, ''));
}
