import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { gitFailed, type Run } from './command.ts';

/** Absolute paths of a repository, without symbolic links. */
export interface Place {
  /** Root of the checkout we were started in; for a bare repository its own folder. */
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly bare: boolean;
  readonly shallow: boolean;
  /** Root of the main checkout, if there is one. */
  readonly mainRoot?: string;
  /** True if refs are stored in a reftable, so only git can read them. */
  readonly reftable: boolean;
}

const ARGS = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--is-shallow-repository',
  '--git-common-dir',
  '--git-dir',
  // Last, because it fails without a checkout after the others were printed.
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
  // Inside a `.git` folder there is no checkout.
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
  // This is a linked worktree; its repository may be bare.
  if (basename(found.commonDir) !== '.git' || hasBareSetting(found.commonDir)) return undefined;
  return dirname(found.commonDir);
}

function hasBareSetting(commonDir: string): boolean {
  const file = join(commonDir, 'config');
  return existsSync(file) && /^\s*bare\s*=\s*true\s*$/im.test(readFileSync(file, 'utf8'));
}
