import type { Task } from '../model/task.ts';

/** The part of a task that names something. `text` is its title and body. */
export type TaskPart = 'paths' | 'text' | 'acceptance';

/** Names in a task, each with the parts that contain it. */
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

/** Names in backticks that are no paths. */
export interface SymbolMentions {
  readonly names: Mentions;
  /** Names of files without a folder; a weak hint, unless a task creates the file. */
  readonly files: readonly string[];
  /** Those of `files` that the task says it creates. */
  readonly created: readonly string[];
}

/** Functions, types and file names that a task has in backticks. Very common words are left out. */
export function mentionedSymbols({ title, body, acceptance }: Task): SymbolMentions {
  const names = new Map<string, TaskPart[]>();
  const files: string[] = [];
  const created: string[] = [];
  const read = (text: string, part: TaskPart): void => {
    for (const { 1: span = '', index } of text.matchAll(/`([^`\n]{4,80})`/g)) {
      const file = bareFile.test(span);
      const name = file ? span : symbolIn(span);
      if (name === undefined || isCommon(name)) continue;
      mention(names, [name], part);
      if (file) files.push(name);
      if (file && isCreated(text.slice(Math.max(0, index - 80), index))) created.push(name);
    }
  };
  read(`${title}\n${body}`, 'text');
  read(acceptance.join('\n'), 'acceptance');
  return { names, files, created };
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
  if (!word.includes('/')) return [];
  const bare = word.replace(/^[^\w.~/]+|[^\w/*]+$/g, '');
  if (bare.length < 3 || !bare.includes('/') || bare.includes('//')) return [];
  if (!roots.test(bare) && !/\/[^/]*\.\w{1,8}$/.test(bare)) return [];
  return fixedPart(bare.replace(/^(?:\.\/)+/, ''));
}

const bareFile = /^[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,7}$/;
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

/** True if the sentence that ends with `text` says that something is made. */
function isCreated(text: string): boolean {
  const sentence = text.split(/[.!?;]\s|\n/).at(-1) ?? '';
  return /\b(?:creat|add|writ|introduc|generat)/i.test(sentence);
}
