import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { gitFailed, type Run } from './command.ts';

/** Where the parts of a repository are, all as absolute paths without symbolic links. */
export interface Place {
  /** Root of the checkout we were started in; of a bare repository, its own folder. */
  readonly root: string;
  /** The git folder of that checkout. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly bare: boolean;
  readonly shallow: boolean;
  /** The checkout that is no linked worktree, where there is one. */
  readonly mainRoot?: string;
  /** Refs are not files, so git itself must be asked about them. */
  readonly reftable: boolean;
}

const ARGS = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--is-shallow-repository',
  '--git-common-dir',
  '--git-dir',
  // Last, because it fails in a repository without a checkout, after the others were printed.
  '--show-toplevel',
];

/** One git process. */
export async function locate(run: Run, dir: string): Promise<Result<Place>> {
  if (!existsSync(dir)) return fail({ kind: 'not-a-repository', dir });
  const done = await run({ cwd: dir, args: ARGS });
  if (!done.ok) return done;
  const [bareWord, shallowWord, commonDir, gitDir, top] = done.value.stdout.toString().split('\n');
  if (!commonDir || !gitDir) {
    if (/not a git repository/.test(done.value.stderr))
      return fail({ kind: 'not-a-repository', dir });
    return fail(gitFailed(ARGS, done.value.exit, done.value.stderr));
  }
  const bare = bareWord === 'true';
  const root = top || (bare ? gitDir : undefined);
  // Inside a `.git` folder there is a repository but no checkout.
  if (root === undefined) return fail({ kind: 'not-a-repository', dir });
  const mainRoot = mainRootOf({ bare, root, gitDir, commonDir });
  return ok({
    root,
    gitDir,
    commonDir,
    bare,
    shallow: shallowWord === 'true',
    reftable: existsSync(join(commonDir, 'reftable')),
    ...(mainRoot === undefined ? {} : { mainRoot }),
  });
}

function mainRootOf(found: {
  readonly bare: boolean;
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
}): string | undefined {
  if (found.bare) return undefined;
  if (found.gitDir === found.commonDir) return found.root;
  // We stand in a linked worktree: a bare repository may have those too.
  if (basename(found.commonDir) !== '.git' || hasBareSetting(found.commonDir)) return undefined;
  return dirname(found.commonDir);
}

function hasBareSetting(commonDir: string): boolean {
  const file = join(commonDir, 'config');
  return existsSync(file) && /^\s*bare\s*=\s*true\s*$/im.test(readFileSync(file, 'utf8'));
}
