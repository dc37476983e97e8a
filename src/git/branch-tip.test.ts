import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { tipInFiles } from './branch-tip.ts';

const [one, two] = ['1'.repeat(40), '2'.repeat(40)];

function gitDirWith(files: Readonly<Record<string, string>>): string {
  const dir = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

const packed = `# pack-refs with: peeled\n${two} refs/heads/a/main\n${one} refs/heads/main\n^${two}\n`;

describe('the commit of a branch', () => {
  it.each([
    ['its own file', { 'refs/heads/main': `${one}\n`, 'packed-refs': `${two} refs/heads/main\n` }],
    ['the packed refs', { 'packed-refs': packed }],
  ])('is read from %s', (_, files) => {
    expect(tipInFiles(gitDirWith(files), 'main')).toBe(one);
  });

  it.each([
    ['it has no file', { 'packed-refs': packed.replaceAll('main', 'other') }],
    ['it is a symbolic ref', { 'refs/heads/main': 'ref: refs/heads/other\n' }],
    ['it is a folder', { 'refs/heads/main/x': `${one}\n` }],
    ['refs are in tables', { 'reftable/tables.list': '', 'refs/heads': 'this is not used\n' }],
  ])('is unknown if %s', (_, files) => {
    expect(tipInFiles(gitDirWith(files), 'main')).toBeUndefined();
  });
});
