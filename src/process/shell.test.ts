import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openShell } from './shell.ts';

let dir: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'ym-shell-')));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function script(text: string): string {
  const file = join(dir, 'shell.sh');
  writeFileSync(file, `#!/bin/sh\n${text}`);
  chmodSync(file, 0o755);
  return file;
}

describe('a shell for a person', () => {
  it('is in the folder, has the environment it is given and nothing else, and is waited for', async () => {
    const shell = script('sleep 0.1; pwd > seen; echo "$WORD$HOME" >> seen\n');
    const env = { PATH: process.env.PATH ?? '', WORD: 'hello' };
    expect(await openShell({ shell, cwd: dir, env })).toEqual({ ok: true, value: undefined });
    expect(readFileSync(join(dir, 'seen'), 'utf8')).toBe(`${dir}\nhello\n`);
  });

  it('may end as it likes', async () => {
    const env = { PATH: process.env.PATH ?? '' };
    for (const end of ['exit 130\n', 'kill -9 $$\n']) {
      expect(await openShell({ shell: script(end), cwd: dir, env })).toMatchObject({ ok: true });
    }
  });

  it('that is not there is said by its name', async () => {
    expect(await openShell({ shell: '/no/such/shell', cwd: dir, env: {} })).toMatchObject({
      ok: false,
      failure: { kind: 'usage', problem: expect.stringContaining('/no/such/shell') },
    });
  });

  it('leaves no handler behind', async () => {
    const before = process.listenerCount('SIGINT');
    await openShell({ shell: script(''), cwd: dir, env: {} });
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
