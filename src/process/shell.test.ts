import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { outcomeOf } from '../model/trouble.ts';
import { runForeground } from './exec.ts';

let dir: string;

beforeEach(() => {
  dir = tempFolder();
});

function script(text: string): string {
  const file = join(dir, 'shell.sh');
  writeFileSync(file, `#!/bin/sh\n${text}`);
  chmodSync(file, 0o755);
  return file;
}

describe('a program for a person', () => {
  it('is in the folder, has the environment it is given and nothing else, and is waited for', async () => {
    const shell = script('sleep 0.1; pwd > seen; echo "$WORD$HOME" >> seen\n');
    const env = { PATH: process.env.PATH ?? '', WORD: 'hello' };
    expect(await outcomeOf(runForeground({ argv: [shell], cwd: dir, env }))).toEqual({
      ok: true,
      value: 0,
    });
    expect(readFileSync(join(dir, 'seen'), 'utf8')).toBe(`${dir}\nhello\n`);
  });

  it('may end as it likes', async () => {
    const env = { PATH: process.env.PATH ?? '' };
    const ends = [
      ['exit 130\n', 130],
      ['kill -9 $$\n', -1],
    ] as const;
    for (const [end, value] of ends) {
      const argv = [script(end)] as const;
      expect(await runForeground({ argv, cwd: dir, env })).toBe(value);
    }
  });

  it('that does not exist is reported by name', async () => {
    const refused = runForeground({ argv: ['/no/such/shell'], cwd: dir, env: {} });
    const what = expect.stringContaining('/no/such/shell');
    await expect(refused).rejects.toMatchObject({ failure: { code: 'not-started', what } });
  });

  it('leaves no handler behind', async () => {
    const before = process.listenerCount('SIGINT');
    await runForeground({ argv: [script('')], cwd: dir, env: {} });
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
