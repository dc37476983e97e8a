// A store in Postgres belongs to one repository and its clones.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootsOf } from '../../src/git/roots.ts';
import { openPostgres } from '../../src/record/postgres/store.ts';
import { need } from '../rig/need.ts';
import { hasPostgres } from '../rig/postgres.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { added, trouble } from './life.ts';
import { type TestSchema, testSchema } from './postgres-project.ts';

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A store in Postgres', () => {
  let base: string;
  let project: TestSchema;
  const git = (...args: readonly string[]): string => {
    const author = [
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@t',
      '-c',
      'protocol.file.allow=always',
    ];
    return execFileSync('git', [...author, ...args], {
      cwd: base,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  };
  const commit = (dir: string, text: string): void =>
    void git('-C', dir, 'commit', '-q', '--allow-empty', '-m', text);
  const repository = (dir: string, ...commits: readonly string[]): string => {
    git('init', '-q', dir);
    for (const text of commits) commit(dir, text);
    return dir;
  };
  const open = async (dir: string, mode: 'read' | 'write' = 'write') => {
    const at = rootsOf(join(base, dir), process.env);
    const opened = await openPostgres(project.address, { mode, repository: at });
    if (opened.ok) await opened.value.close();
    return opened;
  };

  beforeEach(async () => {
    base = tempFolder();
    project = await testSchema();
  });
  afterEach(async () => {
    await project.end();
  });

  it('is opened by the repository that used it first and by its clones, and by no other', async () => {
    repository('own', 'first', 'second');
    repository('other', 'elsewhere');
    need(await open('own'));
    git('clone', '-q', 'own', 'clone');
    commit('clone', 'third');
    need(await open('clone'));
    for (const mode of ['read', 'write'] as const) {
      expect(trouble(await open('other', mode))).toEqual({
        kind: 'store-unavailable',
        store: project.address.shown,
        problem: 'foreign',
        detail: `its history begins with ${git('-C', 'own', 'rev-parse', 'HEAD~1').trim()}`,
      });
    }
  });

  it('has no repository until one with commits uses it, and shallow clones are believed', async () => {
    repository('empty');
    need(await open('empty'));
    repository('own', 'first', 'second');
    git('clone', '-q', '--depth', '1', `file://${join(base, 'own')}`, 'shallow');
    need(await open('shallow'));
    need(await open('own'));
    need(await open('shallow'));
    repository('other', 'elsewhere');
    expect(trouble(await open('other'))).toMatchObject({ problem: 'foreign' });
    expect(trouble(await open('empty'))).toMatchObject({ problem: 'foreign' });
  });

  it('that was used before belongs to the next repository that writes to it', async () => {
    const store = await project.open();
    need(await store.append(1, [added('a')]));
    repository('own', 'first');
    repository('other', 'elsewhere');
    need(await open('other', 'read'));
    need(await open('own'));
    expect(trouble(await open('other'))).toMatchObject({ problem: 'foreign' });
  });
});
