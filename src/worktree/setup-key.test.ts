import { describe, expect, it } from 'vitest';
import { MemoryGit } from '../../test/memory/git.ts';
import { setupKey } from './setup-key.ts';

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
  isJudged = true,
): Promise<string | undefined> {
  const git = new MemoryGit({ files: { ...files, ...changed } });
  const key = await setupKey(git, { commands, commit: 'HEAD', environment, isJudged });
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
    ['requirements that others include', { 'requirements/base.txt': 'pytest' }],
    ['constraints', { 'constraints.txt': 'pytest<9' }],
    ['sources of requirements', { 'dev.in': 'pytest' }],
    ['patches', { 'patches/left-pad.diff': '+1' }],
    ['settings', { 'packages/a/.npmrc': 'registry=x' }],
  ])('changes with %s', async (_, changed) => {
    for (const isJudged of [true, false]) {
      const changes = await keyOf(changed, ['npm ci'], '', isJudged);
      expect(changes).toBeDefined();
      expect(changes).not.toBe(await keyOf({}));
    }
  });

  it.each([
    ['a script that npm runs', { 'a/package.json': '{"scripts":{"postinstall":"node gen.js"}}' }],
    ['a build of native code', { 'binding.gyp': '{}' }],
    ['a package from the tree', { 'package.json': '{"dependencies":{"x":"file:x"}}' }],
    ['a client that is generated', { 'package.json': '{"dependencies":{"@prisma/client":"6"}}' }],
    ['a manifest that is not JSON', { 'package.json': '{' }],
    ['code of the package manager', { '.pnpmfile.cjs': '' }],
    ['the project in its requirements', { 'requirements.txt': '-e .\n' }],
    ['a package with its sources in the tree', { 'uv.lock': 'source = { editable = "." }' }],
  ])('is none on a tree that is judged and has %s', async (_, changed) => {
    expect(await keyOf(changed)).toBeUndefined();
    expect(await keyOf(changed, ['npm ci'], '', false)).toBeDefined();
  });

  it.each([
    ...['sh setup.sh', 'npm ci && npm run build', 'npm ci --install-links', 'npm ci; make'],
    ...['.venv/bin/python -m pip install -e .', 'pip install ./vendored', 'poetry install'],
  ])('is none on a tree that is judged for %s', async (command) => {
    expect(await keyOf({}, [command])).toBeUndefined();
    expect(await keyOf({}, [command], '', false)).toBeDefined();
  });

  it('is there for the installs that `ym init` proposes, and for scripts that set up hooks', async () => {
    const hooks = { 'package.json': '{"scripts":{"prepare":"husky","test":"vitest"}}' };
    const installs = [
      ...['npm ci --prefer-offline --no-audit --no-fund', 'pnpm install --frozen-lockfile'],
      ...['npm install --no-package-lock --no-audit --no-fund', 'yarn install --immutable'],
      ...["python3 -m venv .venv && echo '*' > .venv/.gitignore", 'uv sync --locked'],
      '.venv/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt pytest',
    ];
    for (const command of installs) expect(await keyOf(hooks, [command])).toBeDefined();
  });

  it('changes with the commands, and with a file that they name', async () => {
    expect(await keyOf({}, ['npm install'])).not.toBe(await keyOf({}));
    const changed = (files: Readonly<Record<string, string>>) =>
      keyOf(files, ['sh ./tools/setup.sh'], '', false);
    expect(await changed({ 'tools/setup.sh': 'true' })).not.toBe(await changed({}));
  });

  it('changes with the versions of tools', async () => {
    expect(await keyOf({}, ['npm ci'], 'node 22')).not.toBe(await keyOf({}));
  });

  it('is undefined for commands that use their slot or task', async () => {
    expect(await keyOf({}, ['createdb app_$YARD_SLOT'])).toBeUndefined();
  });
});
