// Writes the types of the library as one file. The compiler declares every module that the library reaches, which is
// some 10 MB; only what the public types name is kept.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const entry = 'library/yard.ts';
const footer = `/** Opens the project that contains a folder. Nothing is created before something is stored. */
export declare const openYard: OpenYard;
`;

/** Stored values of which the public types name only the tag. Their whole types would be most of the file. */
const replaced = {
  'model/attempt.ts#TurnReason': 'type TurnReason = { readonly id: string };',
  'model/attempt.ts#PlainState': 'type PlainState = { readonly id: string };',
  'model/verdict.ts#VerifyOutcome': 'type VerifyOutcome = { readonly kind: string };',
  'model/batch.ts#TaskBatch': 'type TaskBatch = { readonly source: string };',
  'model/failure.ts#TargetCheckReason': 'type TargetCheckReason = string;',
};

/** The declarations of the library as text. */
export async function declarations(root) {
  const out = await mkdtemp(join(tmpdir(), 'ym-types-'));
  try {
    await compiled(root, out);
    return bundledFrom(out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** Types were checked before, and a module that cannot be declared matters only if the library needs it. */
async function compiled(root, out) {
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    // Without it the types of shapes are written out through helper types of shape.ts, which grow too long.
    exactOptionalPropertyTypes: true,
    outDir: out,
    rootDir: join(root, 'src'),
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const files = [join(root, 'src', entry)];
  const project = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
  const config = join(out, 'tsconfig.json');
  await writeFile(config, JSON.stringify(project));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const done = promisify(execFile)(process.execPath, [tsc, '-p', config]);
  await done.catch((error) => {
    if (!String(error.stdout).includes('error TS')) throw error;
  });
}

/** Everything that the public names of the entry need, in one text. Only they are exported. */
export function bundledFrom(out) {
  const modules = new Map();
  const moduleAt = (file) => {
    const known = modules.get(file) ?? readModule(out, file);
    modules.set(file, known);
    return known;
  };
  const find = (file, name) => {
    if (replaced[`${file}#${name}`] !== undefined) return { file, name };
    const { statements, imports } = moduleAt(file);
    if (statements.has(name)) return { file, name };
    const from = imports.get(name);
    return from === undefined ? undefined : find(from.file, from.name);
  };
  const taken = new Map();
  const texts = [];
  /** Returns the name in the bundle. Names of several modules that are the same get a number. */
  const take = (file, name, isPublic) => {
    const key = `${file}#${name}`;
    if (taken.has(key)) return taken.get(key);
    const used = new Set(taken.values());
    let own = name;
    for (let n = 2; used.has(own); n += 1) own = `${name}${n}`;
    taken.set(key, own);
    if (replaced[key] !== undefined) {
      texts.push(replaced[key]);
      return own;
    }
    const text = moduleAt(file).statements.get(name);
    const inline = text.replace(/import\("(\.[^"]+)"\)\.(\w+)/g, (_all, path, other) => {
      const there = find(join(dirname(file), path), other);
      return take(there.file, there.name, false);
    });
    const renamed = inline.replace(identifiers, (word, quoted) => {
      if (quoted !== undefined || keywords.has(word)) return word;
      if (word === name) return own;
      const there = find(file, word);
      return there === undefined ? word : take(there.file, there.name, false);
    });
    const bare = renamed.replace(/^export /m, '').replace(/^declare /m, '');
    const isType = /^(?:type|interface) /m.test(bare);
    texts.push(
      bare.replace(/^(?=(?:type|interface|const|function|class) )/m, prefix(isPublic, isType)),
    );
    return own;
  };
  for (const [name, text] of moduleAt(entry).statements) {
    if (/^export /m.test(text)) take(entry, name, true);
  }
  return `${texts.join('\n')}\n${footer}`;
}

const prefix = (isPublic, isType) => `${isPublic ? 'export ' : ''}${isType ? '' : 'declare '}`;

/** Types of the language, of which some are names of ours too. */
const keywords = new Set(['number', 'string', 'boolean', 'object', 'unknown']);

/** Comments and texts, or a name that is not that of a property. */
const identifiers = /(\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*")|\b[A-Za-z_]\w*\b(?!\??:)/g;

/** Declarations by name, and where imported names come from. */
function readModule(out, file) {
  const path = resolve(out, file.replace(/\.ts$/, '.d.ts'));
  if (!existsSync(path)) throw new Error(`The library needs ${file}, which cannot be declared.`);
  const statements = new Map();
  const imports = new Map();
  for (const text of statementsIn(readFileSync(path, 'utf8'))) {
    const [, name] =
      /^(?:export )?(?:declare )?(?:const|function|class|type|interface) (\w+)/m.exec(text) ?? [];
    if (name !== undefined) statements.set(name, withoutShape(name, text, statements.get(name)));
    const [, names, from] =
      /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/m.exec(text) ?? [];
    for (const one of names?.split(',') ?? []) {
      const [original, alias = original] = one
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      imports.set(alias, { file: join(dirname(file), from), name: original });
    }
  }
  return { statements, imports };
}

/** The type of a shape, which shares its name, is what the compiler worked out for the shape. */
function withoutShape(name, text, before) {
  const shape = /^export declare const \w+: import\("[^"]+"\)\.Typed<([\s\S]*)>;$/m.exec(
    before ?? '',
  );
  if (shape === null || !text.includes(`Of<typeof ${name}>`)) return text;
  return `${before.slice(0, shape.index)}export type ${name} = ${shape[1]};`;
}

/** Statements of a declaration file with the comments before them. */
export function statementsIn(text) {
  const found = [];
  let lines = [];
  let depth = 0;
  let isComment = false;
  let isBlock;
  for (const line of text.split('\n')) {
    lines.push(line);
    const start = line.trimStart();
    isComment ||= start.startsWith('/*');
    if (isComment) {
      isComment = !line.includes('*/');
      continue;
    }
    const code = line.replace(/'[^']*'|"[^"]*"|\/\*.*?\*\//g, '');
    depth += (code.match(/[{([]/g)?.length ?? 0) - (code.match(/[})\]]/g)?.length ?? 0);
    // A statement is a block if its first line of code says so; a statement can have a million characters.
    isBlock ??= /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class) /.test(line);
    if (depth === 0 && (code.endsWith(';') || (isBlock && code.endsWith('}')))) {
      found.push(lines.join('\n'));
      lines = [];
      isBlock = undefined;
    }
  }
  return found;
}
