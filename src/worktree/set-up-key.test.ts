import { describe, expect, it } from 'vitest';
import { MemoryGit } from '../git/memory.ts';
import { setUpKey } from './set-up-key.ts';

const files = {
  'package-lock.json': '{}',
  'src/a.ts': 'a',
  'tools/setup.sh': 'npm ci',
  'docs/package.json.md': '',
};

async function keyOf(
  changed: Readonly<Record<string, string>>,
  commands: readonly string[] = ['npm ci'],
  environment = '',
): Promise<string | undefined> {
  const git = new MemoryGit({ files: { ...files, ...changed } });
  const key = await setUpKey(git, { commands, commit: 'HEAD', environment });
  return key.ok ? key.value : 'failed';
}

describe('the key of a set-up', () => {
  it('is the same for the same commands and lock files', async () => {
    expect(await keyOf({ 'src/a.ts': 'b', 'docs/package.json.md': 'x' })).toBe(await keyOf({}));
  });

  it.each([
    ['a lock file', { 'package-lock.json': '{"a":1}' }],
    ['a manifest', { 'packages/a/package.json': '{}' }],
    ['requirements', { 'requirements-dev.txt': 'pytest' }],
  ])('changes with %s', async (_, changed) => {
    expect(await keyOf(changed)).not.toBe(await keyOf({}));
  });

  it('changes with the commands, and with a file that they name', async () => {
    expect(await keyOf({}, ['npm install'])).not.toBe(await keyOf({}));
    const commands = ['sh ./tools/setup.sh'];
    expect(await keyOf({ 'tools/setup.sh': 'true' }, commands)).not.toBe(await keyOf({}, commands));
  });

  it('changes with the versions of tools', async () => {
    expect(await keyOf({}, ['npm ci'], 'node 22')).not.toBe(await keyOf({}));
  });

  it('is none for commands that ask where they run', async () => {
    expect(await keyOf({}, ['createdb app_$YARD_SLOT'])).toBeUndefined();
  });
});
