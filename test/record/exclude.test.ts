import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureExcluded } from '../../src/files/exclude.ts';
import { good, trouble } from './life.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'yard-files-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('The exclude file of the repository', () => {
  const exclude = () => join(dir, 'info', 'exclude');
  const text = () => readFileSync(exclude(), 'utf8');

  it('gets the state folder once and keeps all other lines', async () => {
    mkdirSync(dirname(exclude()));
    writeFileSync(exclude(), '# mine\n*.log');
    good(await ensureExcluded(dir));
    expect(text()).toBe('# mine\n*.log\n.yardmaster/\n');
    const before = statSync(exclude()).ino;
    good(await ensureExcluded(dir));
    expect(text()).toBe('# mine\n*.log\n.yardmaster/\n');
    expect(statSync(exclude()).ino).toBe(before);
  });

  it('is created if missing', async () => {
    good(await ensureExcluded(dir));
    expect(text()).toBe('.yardmaster/\n');
    expect(readdirSync(join(dir, 'info'))).toEqual(['exclude']);
  });

  it('is unchanged if it has the line in another spelling', async () => {
    mkdirSync(dirname(exclude()));
    writeFileSync(exclude(), '/.yardmaster\n');
    good(await ensureExcluded(dir));
    expect(text()).toBe('/.yardmaster\n');
  });

  it('is changed at its target if it is a symbolic link', async () => {
    mkdirSync(dirname(exclude()));
    writeFileSync(join(dir, 'real'), 'x\n');
    symlinkSync(join(dir, 'real'), exclude());
    good(await ensureExcluded(dir));
    expect(readFileSync(join(dir, 'real'), 'utf8')).toBe('x\n.yardmaster/\n');
  });

  it('reports a failure if it cannot be written', async () => {
    writeFileSync(join(dir, 'info'), 'a file where a folder should be');
    expect(trouble(await ensureExcluded(dir)).kind).toBe('state-unwritable');
  });
});
