import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import type { ProcessLimits } from '../port/processes.ts';
import { type ChildFiles, filesOf } from './child-files.ts';
import { cutOutput } from './output.ts';
import { OutputReader } from './output-reader.ts';

let dir: string;
let files: ChildFiles;
let lines: string[];
beforeEach(() => {
  dir = tempFolder();
  files = filesOf(dir, 'child');
  lines = [];
});

function outputReader(
  limits: Partial<ProcessLimits> = {},
  line?: (text: string) => boolean,
): OutputReader {
  const listener = {
    line(text: string): boolean {
      lines.push(text);
      return line?.(text) ?? false;
    },
  };
  return new OutputReader(files, { outputBytes: 1024 * 1024, ...limits }, listener);
}

const print = (text: string): void => appendFileSync(files.out, text);

/** Blocks everything, as a slow listener does. */
function slowly(): boolean {
  const until = performance.now() + 2;
  while (performance.now() < until);
  return false;
}

describe('lines passed on from a growing file', () => {
  it('is each line once, when it has its end', async () => {
    const hears = outputReader();
    hears.listen();
    print('one\ntw');
    hears.listen();
    expect(lines).toEqual(['one']);
    print('o\nthree');
    hears.listen();
    hears.listen();
    expect(lines).toEqual(['one', 'two']);
    await hears.finish();
    await hears.finish();
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('are none without a file', async () => {
    const hears = outputReader();
    expect(hears.listen()).toBe(false);
    await hears.finish();
    expect(lines).toEqual([]);
  });

  it('is made up for when it cannot be read just now', async () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'a file where the folder was');
    const hears = outputReader();
    expect(hears.listen()).toBe(false);
    await expect(hears.finish()).rejects.toThrow('ENOTDIR');
    rmSync(dir);
    mkdirSync(dir);
    print('there after all\n');
    await hears.finish();
    expect(lines).toEqual(['there after all']);
  });

  it('is the same for a file of many chunks, with characters across their borders', async () => {
    const all = Array.from({ length: 20_000 }, (_, n) => `${n} ${'ä€🙂'.repeat(n % 7)}`);
    print(all.join('\r\n'));
    await outputReader({ outputBytes: 64 * 1024 * 1024 }).finish();
    expect(lines).toEqual(all);
  });

  it('comes in slices when the listener is slow, so that others have their turn', async () => {
    print('line\n'.repeat(50));
    const hears = outputReader({}, slowly);
    expect(hears.listen()).toBe(true);
    expect(lines.length).toBeLessThan(20);
    let turns = 0;
    const others = setInterval(() => {
      turns += 1;
    }, 1);
    await hears.finish();
    clearInterval(others);
    expect(lines).toHaveLength(50);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('lines not passed on', () => {
  it('is anything from a line on that is too long', async () => {
    print(`short\n${'x'.repeat(200_000)}`);
    const hears = outputReader({ lineBytes: 100_000 });
    expect(hears.crossed).toBeUndefined();
    while (hears.listen());
    expect(hears.crossed).toBe(100_000);
    print('\nafter\n');
    await hears.finish();
    expect(lines).toEqual(['short']);
  });

  it('are those beyond the output limit, and the line cut there', async () => {
    print('0123\n'.repeat(10));
    const hears = outputReader({ outputBytes: 12 });
    while (hears.listen());
    expect(lines).toEqual(['0123', '0123']);
    await hears.finish();
    expect(lines).toEqual(['0123', '0123']);
  });

  it.each([
    ['', 4],
    ['not much', 3],
    ['quite as much as the other', 2],
  ])('is our own note at the cut, where standard error is %j', async (err, whole) => {
    print('0123\n'.repeat(10));
    writeFileSync(files.err, err);
    cutOutput(files, 24);
    await outputReader({ outputBytes: 24 }).finish();
    expect(lines).toEqual(Array.from({ length: whole }, () => '0123'));
  });

  it('are not repeated if they were cut after they were passed on', async () => {
    print('one\ntwo\n');
    const hears = outputReader();
    while (hears.listen());
    truncateSync(files.out, 4);
    await hears.finish();
    expect(lines).toEqual(['one', 'two']);
  });
});

it('knows when the last word was heard', () => {
  const hears = outputReader({}, (text) => text === 'done');
  print('work\n');
  hears.listen();
  expect(hears.isFinal).toBe(false);
  print('done\n');
  hears.listen();
  expect(hears.isFinal).toBe(true);
});
