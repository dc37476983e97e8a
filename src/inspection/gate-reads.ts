import { limits } from '../model/limits.ts';
import { baseName, commandsOf, type Simple, within } from './commands.ts';
import { parsedScripts, scriptsCalled } from './scripts.ts';

/** Files, scripts and modules that decide what a gate runs, as far as its commands show. */
export interface GateReads {
  /** Files that are run or hold recipes, with the gate command that uses them. */
  readonly files: ReadonlyMap<string, string>;
  /** Script names by package file. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>;
  /** Scripts run in all packages of the repository. */
  readonly everywhere: ReadonlySet<string>;
  /** Python modules that are run; a file of that name in the repository would shadow the installed one. */
  readonly modules: ReadonlySet<string>;
}

/** Recipe files per tool, by precedence. */
const recipes: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
  rake: ['Rakefile', 'rakefile', 'Rakefile.rb'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
};

const interpreters =
  /^(?:node|nodejs|python[\d.]*|(?:ba|z|da|k)?sh|ruby|perl|php|deno|bun|tsx|ts-node|pwsh|source|\.)$/;
const shells = /^(?:(?:ba|z|da|k)?sh|source|\.)$/;
/** Interpreter options that load a file before the script. */
const preloads = /^(?:-r|--require|--import|--loader|--experimental-loader)$/;
/** Interpreter options with a value that is no script. */
const valued =
  /^(?:-[WXCI]|--test-reporter|--test-reporter-destination|--conditions|--test-name-pattern)$/;
/** `--test` is followed by tests, which have their own rules; inline code names no file. */
const noScript = /^(?:--test|-c|-e|--eval|-p|--print|--run)$/;
const ownVerbs = /^(?:test|task|check|lint|fmt|install|x)$/;

interface Found {
  readonly files: Map<string, string>;
  readonly scripts: Map<string, Set<string>>;
  readonly everywhere: Set<string>;
  readonly modules: Set<string>;
}

interface Step {
  readonly command: Simple;
  /** Gate command that led here. */
  readonly by: string;
  /**
   * True inside a script or recipe. Programs run there may be the product under test, so only shell scripts are
   * followed.
   */
  readonly inScript: boolean;
}

/** Follows the commands of a gate. `textOf` returns files of the target; an unread file is listed but not followed. */
export function gateReads(
  gate: readonly string[],
  textOf: (path: string) => string | undefined,
): GateReads {
  const found: Found = {
    files: new Map(),
    scripts: new Map(),
    everywhere: new Set(),
    modules: new Set(),
  };
  const steps: Step[] = gate.flatMap((by) =>
    commandsOf(by).map((command) => ({ command, by, inScript: false })),
  );
  const seen = new Set<string>();
  for (let at = 0; at < steps.length && at < limits.gateReads * 16; at += 1) {
    const step = steps[at];
    if (step === undefined) break;
    steps.push(...packageSteps(step, found, textOf));
    for (const path of filesOf(step, found.modules)) {
      if (!found.files.has(path)) found.files.set(path, step.by);
      if (seen.has(path) || seen.size >= limits.gateReads || !isFollowed(path)) continue;
      seen.add(path);
      steps.push(...scriptSteps(path, textOf(path) ?? '', step));
    }
  }
  return found;
}

function packageSteps(
  { command, by, inScript }: Step,
  found: Found,
  textOf: (path: string) => string | undefined,
): readonly Step[] {
  const called = scriptsCalled(command);
  if (called === undefined) return [];
  const scripts = parsedScripts(textOf(called.file)) ?? new Map<string, string>();
  const known = found.scripts.get(called.file) ?? new Set<string>();
  found.scripts.set(called.file, known);
  const steps: Step[] = [];
  for (const name of called.names(scripts.keys())) {
    if (called.everywhere) found.everywhere.add(name);
    if (known.has(name)) continue;
    known.add(name);
    for (const one of commandsOf(scripts.get(name) ?? '', command.dir)) {
      steps.push({ command: one, by, inScript });
    }
  }
  return steps;
}

function filesOf({ command, inScript }: Step, modules: Set<string>): readonly string[] {
  const { words, dir } = command;
  const [program = '', ...rest] = words;
  const name = baseName(program);
  const at = (word: string): string[] => {
    const path = within(dir, word);
    return path === undefined || path.startsWith('node_modules/') ? [] : [path];
  };
  if (!program.includes('/') && Object.hasOwn(recipes, name)) return recipeFiles(name, rest, dir);
  if (program.includes('/') && !interpreters.test(name)) {
    return inScript && !isShellScript(program) ? [] : at(program);
  }
  if (!interpreters.test(name)) return [];
  const { script, preloaded, module } = argumentsOf(name, rest);
  if (module !== undefined) {
    modules.add(module);
    return [];
  }
  if (inScript && !shells.test(name)) return [];
  const named = script === undefined ? [] : at(script);
  const guessed = /^(?:node|tsx|bun)/.test(name) ? named.flatMap(guesses) : [];
  return [...preloaded.flatMap(at), ...named, ...guessed];
}

/** Files that Node tries for a name without extension. */
function guesses(path: string): readonly string[] {
  if (/\.\w+$/.test(path)) return [];
  return ['.js', '.cjs', '.mjs', '/index.js'].map((ending) => path + ending);
}

interface Arguments {
  readonly script?: string;
  readonly preloaded: readonly string[];
  readonly module?: string;
}

function argumentsOf(name: string, words: readonly string[]): Arguments {
  if (shells.test(name)) return { preloaded: [], ...shellScript(words) };
  const preloaded: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, option = word, value] = /^(--[\w-]+)=(.*)$/.exec(word) ?? [];
    if (preloads.test(option)) {
      if (value === undefined) at += 1;
      preloaded.push(value ?? words[at] ?? '');
    } else if (word === '-m') return { preloaded, module: words[at + 1]?.split('.')[0] ?? '' };
    else if (noScript.test(word) || (/^(?:deno|bun)$/.test(name) && ownVerbs.test(word))) {
      return { preloaded };
    } else if (valued.test(word)) at += 1;
    else if (!word.startsWith('-') && word !== 'run') return { preloaded, script: word };
  }
  return { preloaded };
}

/** Shell options are letters; only `o` takes a value. */
function shellScript(words: readonly string[]): { readonly script?: string } {
  const script = words.find(
    (word, at) => !/^[-+]/.test(word) && !/^[-+]\w*o$/.test(words[at - 1] ?? ''),
  );
  return script === undefined ? {} : { script };
}

function recipeFiles(name: string, words: readonly string[], dir: string): readonly string[] {
  const wordAfter = (option: RegExp): string | undefined => {
    const at = words.findIndex((word) => option.test(word));
    return at === -1 ? undefined : words[at + 1];
  };
  const folder = wordAfter(/^(?:-C|-d|--directory|--dir|--working-directory)$/);
  const here = folder === undefined ? dir : within(dir, folder);
  if (here === undefined) return [];
  const file = wordAfter(/^(?:-f|--file|--makefile|--justfile|--taskfile|-c)$/);
  return (file === undefined ? (recipes[name] ?? []) : [file]).flatMap(
    (one) => within(here, one) ?? [],
  );
}

function isShellScript(path: string): boolean {
  return /\.(?:sh|bash|zsh)$/.test(path);
}

function isRecipe(path: string): boolean {
  return /makefile$|justfile$|\.mk$/i.test(path);
}

function isFollowed(path: string): boolean {
  return isRecipe(path) || isShellScript(path) || !baseName(path).includes('.');
}

function scriptSteps(path: string, text: string, { by, command }: Step): readonly Step[] {
  const dir = isRecipe(path) ? path.slice(0, Math.max(0, path.lastIndexOf('/'))) : command.dir;
  const source = text.slice(0, limits.blobBytes / 16).replace(/^[ \t]+[@+-]+/gm, ' ');
  const steps = commandsOf(source, dir).map((one): Step => ({ command: one, by, inScript: true }));
  const included = [...source.matchAll(/^-?include[ \t]+(.+)$/gm)].flatMap(([, list = '']) =>
    isRecipe(path) ? list.trim().split(/\s+/) : [],
  );
  const sourced = included.map(
    (word): Step => ({ command: { words: ['.', word], dir }, by, inScript: true }),
  );
  return [...steps, ...sourced];
}
