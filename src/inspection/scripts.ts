import { parseJson } from '../model/shape.ts';
import { type Simple, within } from './commands.ts';

/** Package scripts that one command runs. */
export interface Called {
  readonly file: string;
  /** True if it also runs them in other packages of the repository. */
  readonly everywhere: boolean;
  /** Script names including pre and post scripts; `known` are the existing names. */
  names(known: Iterable<string>): readonly string[];
}

const lifecycle = ['preinstall', 'install', 'postinstall', 'prepublish', 'prepare'];
const valued = /^(?:--prefix|-C|--dir|--cwd|-w|--workspace|-F|--filter|--scope)$/;
const folders = /^(?:--prefix|-C|--dir|--cwd)$/;
const allPackages =
  /^(?:-w|--workspaces?|-ws|-r|--recursive|-F|--filter|--scope|workspaces?|foreach)(?:=|$)/;

/** Scripts that a command runs; undefined if it runs none. */
export function scriptsCalled({ words, dir }: Simple): Called | undefined {
  const [program = '', ...rest] = words;
  const folder = rest[rest.findIndex((word) => folders.test(word)) + 1];
  const here = rest.some((word) => folders.test(word)) ? within(dir, folder ?? '') : dir;
  if (here === undefined) return undefined;
  const bare = rest.filter((word, at) => !word.startsWith('-') && !valued.test(rest[at - 1] ?? ''));
  const wanted = wantedBy(program, bare, rest);
  if (wanted === undefined) return undefined;
  const file = within(here, 'package.json') ?? 'package.json';
  const everywhere =
    /^(?:turbo|lerna|nx)$/.test(program) || rest.some((word) => allPackages.test(word));
  return {
    file,
    everywhere,
    names: (known) => {
      const all = [...known];
      const names = wanted.flatMap((name) =>
        name.includes('*') ? all.filter((one) => starred(name).test(one)) : [name],
      );
      return [...new Set(names.flatMap((name) => [`pre${name}`, name, `post${name}`]))];
    },
  };
}

function wantedBy(
  program: string,
  bare: readonly string[],
  all: readonly string[],
): readonly string[] | undefined {
  const [first = '', second = ''] = bare;
  switch (program) {
    case 'npm':
      if (/^(?:run|run-script|rum|urn)$/.test(first)) return [second];
      if (/^(?:t|tst|test)$/.test(first)) return ['test'];
      if (/^(?:start|stop|restart)$/.test(first)) return [first];
      if (/^(?:it|cit|install-test)$/.test(first)) return [...lifecycle, 'test'];
      return /^(?:ci|i|install)$/.test(first) ? lifecycle : undefined;
    case 'yarn':
    case 'pnpm':
    case 'bun': {
      if (program === 'bun' && first !== 'run') return undefined;
      const names = bare.filter((word) => !/^(?:run|workspaces?|foreach|exec)$/.test(word));
      const [name = 'install'] = names;
      return name === 'install' ? lifecycle : name === 't' ? ['test'] : [name];
    }
    case 'npm-run-all':
    case 'run-s':
    case 'run-p':
      return bare;
    case 'turbo':
    case 'lerna':
    case 'nx':
      return bare.filter((word) => word !== 'run');
    case 'node': {
      const at = all.indexOf('--run');
      return at === -1 ? undefined : [all[at + 1] ?? ''];
    }
    default:
      return undefined;
  }
}

/** Matches names such as `lint:*`. */
function starred(name: string): RegExp {
  const parts = name.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** Scripts of a package file; undefined if it is not one. */
export function parsedScripts(text: string | undefined): ReadonlyMap<string, string> | undefined {
  if (text === undefined) return undefined;
  const parsed = parseJson(text.replace(/^\uFEFF/, ''));
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const scripts: unknown = 'scripts' in parsed ? parsed.scripts : {};
  if (typeof scripts !== 'object' || scripts === null) return new Map();
  return new Map(
    Object.entries(scripts).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
