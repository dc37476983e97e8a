// Setup results are restored into other worktrees exactly, and never shared between them.

import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/model/limits.ts';
import { preparedOnDisk } from '../../src/worktree/prepared-disk.ts';
import type { Prepared } from '../../src/worktree/setup.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const key = 'k1';
let base: string;
let prepared: Prepared;

const at = (tree: string, path: string): string => join(base, tree, path);
const read = (tree: string, path: string): string => readFileSync(at(tree, path), 'utf8');
function write(tree: string, path: string, text: string): void {
  mkdirSync(dirname(at(tree, path)), { recursive: true });
  writeFileSync(at(tree, path), text);
}

/** A folder that stands for a worktree. */
function tree(name: string): string {
  mkdirSync(join(base, name), { recursive: true });
  return join(base, name);
}

/** Plays a set-up in a worktree. */
async function install(name: string, share = true): Promise<string> {
  const dir = tree(name);
  for (const file of ['a/index.js', 'b/index.js', 'b/lib/x.js']) {
    write(name, `node_modules/${file}`, `// ${file}\n`);
  }
  mkdirSync(at(name, 'node_modules/.bin'));
  symlinkSync('../a/index.js', at(name, 'node_modules/.bin/a'));
  await prepared.note(dir, key, { paths: ['node_modules'], share });
  return dir;
}

const isWhole = (name: string): boolean =>
  read(name, 'node_modules/a/index.js') === '// a/index.js\n' &&
  read(name, 'node_modules/b/lib/x.js') === '// b/lib/x.js\n' &&
  read(name, 'node_modules/.bin/a') === '// a/index.js\n';

beforeEach(() => {
  base = tempFolder();
  prepared = preparedOnDisk({ stateDir: base, project: 'p' });
});

describe('what a set-up produced', () => {
  test('is not known before it was noted, and comes to a new worktree afterwards', async () => {
    expect(await prepared.bring(tree('t2'), key)).toBe(false);
    await install('t1');
    expect(await prepared.bring(tree('t2'), key)).toBe(true);
    expect(isWhole('t2')).toBe(true);
    expect(await prepared.kept(tree('t2'))).toEqual(['/node_modules']);
    expect(await prepared.bring(tree('t3'), 'other')).toBe(false);
  });

  test('is a file of its own in each worktree, also where the package manager made hard links', async () => {
    write('store', 'index.js', '// linked\n');
    mkdirSync(at('t1', 'node_modules/c'), { recursive: true });
    linkSync(at('store', 'index.js'), at('t1', 'node_modules/c/index.js'));
    await install('t1');
    await prepared.bring(tree('t2'), key);
    for (const name of ['t1', 't2']) {
      expect(statSync(at(name, 'node_modules/c/index.js')).nlink).toBe(1);
      appendFileSync(at(name, 'node_modules/c/index.js'), 'evil\n');
    }
    expect(read('store', 'index.js')).toBe('// linked\n');
    await prepared.bring(tree('t3'), key);
    expect(read('t3', 'node_modules/c/index.js')).toBe('// linked\n');
  });

  test('is put right where it was touched: edited, with its times put back, added, removed or moved', async () => {
    const dir = await install('t1');
    const file = at('t1', 'node_modules/a/index.js');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, '// A/index.js\n');
    utimesSync(file, atime, mtime);
    write('t1', 'node_modules/.cache/x', 'x');
    rmSync(at('t1', 'node_modules/b/lib'), { recursive: true });
    expect(await prepared.bring(dir, key)).toBe(true);
    expect(isWhole('t1')).toBe(true);
    expect(existsSync(at('t1', 'node_modules/.cache'))).toBe(false);
    renameSync(at('t1', 'node_modules/a'), at('t1', 'node_modules/x'));
    renameSync(at('t1', 'node_modules/b'), at('t1', 'node_modules/a'));
    renameSync(at('t1', 'node_modules/x'), at('t1', 'node_modules/b'));
    expect(await prepared.bring(dir, key)).toBe(true);
    expect(isWhole('t1')).toBe(true);
    rmSync(at('t1', 'node_modules'), { recursive: true });
    expect(await prepared.bring(dir, key)).toBe(true);
    expect(isWhole('t1')).toBe(true);
  });

  test('goes on to the next worktree when its own is removed', async () => {
    const dir = await install('t1');
    const { ino } = statSync(at('t1', 'node_modules/a/index.js'));
    write('t1', 'node_modules/.cache/x', 'x');
    await prepared.release(dir);
    expect(existsSync(at('t1', 'node_modules'))).toBe(false);
    expect(await prepared.bring(tree('t2'), key)).toBe(true);
    expect(statSync(at('t2', 'node_modules/a/index.js')).ino).toBe(ino);
    expect(isWhole('t2') && !existsSync(at('t2', 'node_modules/.cache'))).toBe(true);
  });

  test('is had by one of two that reach for it at once, and copied for the other', async () => {
    await prepared.release(await install('t1'));
    const other = preparedOnDisk({ stateDir: base, project: 'p' });
    const both = [prepared.bring(tree('t2'), key), other.bring(tree('t3'), key)];
    expect(await Promise.all(both)).toEqual([true, true]);
    expect(isWhole('t2') && isWhole('t3')).toBe(true);
  });

  test('is made again by the set-up if the clean copy was changed', async () => {
    await install('t1');
    appendFileSync(at('p/prepared', `${key}/clean/node_modules/a/index.js`), 'evil\n');
    expect(await prepared.bring(tree('t2'), key)).toBe(false);
    expect(existsSync(at('t2', 'node_modules'))).toBe(false);
  });

  test('gives way to what another state of the lock files asks for', async () => {
    const dir = await install('t1');
    expect(await prepared.bring(dir, 'other')).toBe(false);
    expect(existsSync(at('t1', 'node_modules'))).toBe(false);
  });

  test('stays in its worktree where a file names that, and where others could have prepared it', async () => {
    write('ym-r-1', 'node_modules/tool', '#!/state/ym-r-1/node_modules/node\n');
    const dir = await install('ym-r-1');
    expect(await prepared.bring(tree('t2'), key)).toBe(false);
    expect(await prepared.bring(dir, key)).toBe(true);
    appendFileSync(at('ym-r-1', 'node_modules/a/index.js'), 'x');
    expect(await prepared.bring(dir, key)).toBe(false);
    await install('t3', false);
    expect(await prepared.bring(tree('t4'), key)).toBe(false);
  });

  test('is not kept where it is more than dependencies, or leads to a folder elsewhere', async () => {
    write('t1', 'dist/out.js', 'built\n');
    await prepared.note(tree('t1'), key, { paths: ['dist', 'node_modules'], share: true });
    expect(await prepared.kept(tree('t1'))).toEqual([]);
    mkdirSync(at('t2', 'node_modules'), { recursive: true });
    symlinkSync(base, at('t2', 'node_modules/all'));
    await prepared.note(tree('t2'), key, { paths: ['node_modules'], share: true });
    expect(await prepared.kept(tree('t2'))).toEqual([]);
  });

  test('is removed after long disuse, with copies that were cut short', async () => {
    const dir = await install('t1');
    const list = at('p/prepared', `${key}/clean.json`);
    mkdirSync(at('p/prepared', 'k2.1234.part'));
    await prepared.expire();
    expect(readdirSync(at('p', 'prepared'))).toContain(key);
    const old = new Date(Date.now() - limits.preparedAgeMs - 1000);
    utimesSync(list, old, old);
    utimesSync(at('p/prepared', 'k2.1234.part'), old, old);
    await prepared.expire();
    expect(readdirSync(at('p', 'prepared'))).toEqual([]);
    expect(await prepared.bring(dir, key)).toBe(true);
  });

  test('is waited for by others that need the same', async () => {
    const order: string[] = [];
    const run = (name: string) =>
      prepared.first(key, async () => {
        order.push(`${name} begins`);
        const found = await prepared.bring(tree(name), key);
        if (!found) await install(name);
        order.push(`${name} ${found}`);
      });
    await Promise.all([run('t1'), run('t2')]);
    expect(order).toEqual(['t1 begins', 't1 false', 't2 begins', 't2 true']);
  });
});

describe('a folder of the worktree that is a link to one outside', () => {
  const path = 'packages/a/node_modules';
  const inside = 'packages/a/node_modules/x/index.js';

  /** Plays a set-up below a folder, and one outside of every worktree that looks the same. */
  async function installBelow(name: string): Promise<string> {
    const dir = tree(name);
    write(name, inside, '// x\n');
    await prepared.note(dir, key, { paths: [path], share: true });
    write('outside', 'a/node_modules/x/index.js', '// mine\n');
    write('outside', 'a/node_modules/notes.txt', 'mine\n');
    return dir;
  }

  /** Replaces the folder by a link, as an agent or a commit can. */
  function plant(name: string): void {
    rmSync(at(name, 'packages'), { recursive: true, force: true });
    symlinkSync(join(base, 'outside'), at(name, 'packages'));
  }

  const outside = (): string =>
    readdirSync(join(base, 'outside'), { recursive: true })
      .map((file) => join(base, 'outside', String(file)))
      .filter((file) => statSync(file).isFile())
      .map((file) => `${file.slice(base.length)}: ${readFileSync(file, 'utf8')}`)
      .sort()
      .join('');
  const untouched =
    '/outside/a/node_modules/notes.txt: mine\n/outside/a/node_modules/x/index.js: // mine\n';

  test('gets nothing of what is restored', async () => {
    await installBelow('t1');
    const dir = tree('t2');
    plant('t2');
    expect(await prepared.bring(dir, key)).toBe(false);
    expect(outside()).toBe(untouched);
    expect(await prepared.bring(tree('t3'), key)).toBe(true);
    expect(read('t3', inside)).toBe('// x\n');
  });

  test.each(['bring', 'release'] as const)('is not repaired or emptied by %s', async (call) => {
    const dir = await installBelow('t1');
    plant('t1');
    if (call === 'bring') expect(await prepared.bring(dir, key)).toBe(false);
    else await prepared.release(dir);
    expect(outside()).toBe(untouched);
    expect(await prepared.kept(dir)).toEqual([]);
  });

  test('is not stored for others as the result of a set-up', async () => {
    write('outside', 'a/node_modules/x/index.js', '// mine\n');
    const dir = tree('t1');
    plant('t1');
    await prepared.note(dir, key, { paths: [path], share: true });
    expect(await prepared.kept(dir)).toEqual([]);
    expect(await prepared.bring(tree('t2'), key)).toBe(false);
  });
});
