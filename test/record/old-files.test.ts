import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  foldersOf,
  oldFiles,
  packFolder,
  type RunFolder,
  removeFolder,
  unpackFolder,
} from '../../src/files/old-files.ts';
import { limits } from '../../src/model/limits.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const day = 24 * 3600_000;
const now = 100 * day;
const folder = (run: string, daysAgo: number, more: Partial<RunFolder> = {}): RunFolder => ({
  run,
  dir: `/runs/${run}`,
  endedAt: now - daysAgo * day,
  bytes: 1_000,
  packed: false,
  ...more,
});
const names = (folders: readonly RunFolder[]): readonly string[] => folders.map(({ run }) => run);

describe('files of old runs', () => {
  it('are compressed after a day and removed after a month', () => {
    const { pack, remove } = oldFiles(
      [folder('old', 31), folder('week', 7), folder('done', 8, { packed: true }), folder('new', 0)],
      now,
    );
    expect(names(pack)).toEqual(['week']);
    expect(names(remove)).toEqual(['old']);
  });

  it('are removed oldest first if their total size is too large; the newest stay', () => {
    const large = { bytes: limits.runFilesBytes - 500 };
    const { remove } = oldFiles([folder('b', 2), folder('a', 3), folder('c', 1, large)], now);
    expect(names(remove)).toEqual(['b', 'a']);
    const huge = { bytes: limits.runFilesBytes * 2 };
    expect(names(oldFiles([folder('only', 1, huge)], now).remove)).toEqual([]);
  });
});

describe('a folder of a run', () => {
  let runs = '';
  beforeEach(() => {
    runs = tempFolder();
  });

  const found = async (...ids: readonly string[]): Promise<RunFolder> => {
    const folders = await outcomeOf(foldersOf(runs, new Map(ids.map((id) => [id, 5]))));
    if (!folders.ok || folders.value[0] === undefined) throw new Error('no folder');
    return folders.value[0];
  };

  it('is compressed and restored byte by byte; small files and other files stay as they are', async () => {
    const dir = join(runs, 'r1', 'attempts', 'a-1');
    mkdirSync(dir, { recursive: true });
    const text = 'line\n'.repeat(10_000);
    writeFileSync(join(dir, 'turn-1.out'), text);
    writeFileSync(join(dir, 'turn-1.err'), 'short');
    writeFileSync(join(dir, 'attempt.json'), ' '.repeat(10_000));
    const before = await found('r1', 'gone');
    expect(before).toMatchObject({ run: 'r1', endedAt: 5, packed: false });
    expect(await outcomeOf(packFolder(before))).toEqual({ ok: true, value: undefined });
    expect(readdirSync(dir).sort()).toEqual(['attempt.json', 'turn-1.err', 'turn-1.out.gz']);
    const after = await found('r1');
    expect(after.packed).toBe(true);
    expect(after.bytes).toBeLessThan(before.bytes / 2);
    await outcomeOf(packFolder(after));
    await outcomeOf(unpackFolder(dir));
    expect(readFileSync(join(dir, 'turn-1.out'), 'utf8')).toBe(text);
    expect(readdirSync(dir).sort()).toEqual(['attempt.json', 'turn-1.err', 'turn-1.out']);
    expect(await outcomeOf(unpackFolder(join(runs, 'nowhere')))).toMatchObject({ ok: true });
    await outcomeOf(removeFolder(after));
    expect(existsSync(join(runs, 'r1'))).toBe(false);
  });

  it('of a run that has not ended is left alone', async () => {
    mkdirSync(join(runs, 'r2'));
    expect(await outcomeOf(foldersOf(runs, new Map()))).toEqual({ ok: true, value: [] });
  });
});
