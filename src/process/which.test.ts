import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { which } from './which.ts';

describe('finding a command', () => {
  let dir: string;
  beforeEach(() => {
    dir = tempFolder();
    for (const folder of ['one', 'two']) mkdirSync(join(dir, folder));
  });

  const put = (path: string, mode = 0o755): string => {
    writeFileSync(join(dir, path), '#!/bin/sh\n', { mode });
    return join(dir, path);
  };

  it('takes the first executable file of that name on the path', () => {
    put('one/tool', 0o644);
    const file = put('two/tool');
    expect(which('tool', `${dir}/one:${dir}/two`, '/')).toEqual({ ok: true, file });
  });

  it('passes over a file among the folders', () => {
    const file = put('two/tool');
    put('plain');
    expect(which('tool', `${dir}/plain:${dir}/two`, '/')).toEqual({ ok: true, file });
    expect(which('other', `${dir}/plain`, '/')).toEqual({
      ok: false,
      cause: 'other is not on PATH',
    });
  });

  it('names a file on PATH that is not executable if there is no other', () => {
    const file = put('one/tool', 0o644);
    const found = which('tool', `${dir}/none:${dir}/one`, '/');
    expect(!found.ok && found.cause).toContain(`${file} is not executable`);
  });

  it('does not take a folder for a command', () => {
    mkdirSync(join(dir, 'one', 'tool'));
    expect(which('tool', `${dir}/one`, '/')).toEqual({ ok: false, cause: 'tool is not on PATH' });
  });

  it('takes folders of the path that are relative from the given one', () => {
    const file = put('one/tool');
    expect(which('tool', 'one', dir)).toEqual({ ok: true, file });
  });

  it('takes a name with a slash from the given folder, never from the path', () => {
    const file = put('one/tool');
    expect(which('one/tool', dir, dir)).toEqual({ ok: true, file });
    expect(which('./tool', `${dir}/one`, dir)).toEqual({
      ok: false,
      cause: `${dir}/tool does not exist`,
    });
  });

  it('uses the default folders without PATH', () => {
    expect(which('sh', undefined, dir)).toMatchObject({ ok: true });
    expect(which('sh', '', dir)).toMatchObject({ ok: false });
  });

  it('says why a file cannot be started', () => {
    const file = put('one/tool', 0o644);
    const found = which(file, undefined, dir);
    expect(!found.ok && found.cause).toMatch(/is not executable/);
    expect(which('', undefined, dir)).toEqual({ ok: false, cause: 'the command is empty' });
  });
});
