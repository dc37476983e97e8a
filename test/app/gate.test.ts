import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkGate, filesAt, filesIn, findGate, inEnvironment } from '../../src/app/gate.ts';
import { loadConfig } from '../../src/config/config.ts';
import { outcomeOf, Trouble } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import { probe } from '../../src/wire/project.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let dir: string;

beforeEach(() => {
  dir = tempFolder();
});

function config(text = '') {
  const loaded = need(
    loadConfig({
      root: dir,
      env: {},
      flags: {},
      readFile: (path) => (path.endsWith('yardmaster.yaml') ? text : undefined),
    }),
  );
  return loaded;
}

describe('the gate of a run', () => {
  test('is another one where a command of its environment prints something else, so that old verdicts do not count', async () => {
    const found = need(findGate(config('gate: { commands: ["./check"] }'), filesIn(dir)));
    const idWith = async (tool: string): Promise<string> => {
      writeFileSync(join(dir, 'tool'), tool);
      const within = need(await inEnvironment({ root: dir, probe }, found, ['cat tool']));
      return within.gate.id;
    };
    const first = await idWith('1\n');
    expect(await idWith('2\n')).not.toBe(first);
    expect(await idWith('1\n')).toBe(first);
  });

  test('is the one of the config before any that could be found', () => {
    writeFileSync(join(dir, 'Makefile'), 'test:\n\ttrue\n');
    const found = findGate(config('gate: { commands: ["./check"], timeout: 5m }'), filesIn(dir));
    expect(found).toMatchObject({
      value: { gate: { commands: ['./check'], timeoutMs: 300_000 }, from: 'the config' },
    });
  });

  test('is found in the files of the repository', () => {
    writeFileSync(join(dir, 'Makefile'), 'test:\n\ttrue\n');
    const found = findGate(config(), filesIn(dir));
    expect(found).toMatchObject({ value: { gate: { commands: ['make test'] } } });
  });

  test('is none at all only where a person says so', () => {
    expect(findGate(config(), filesIn(dir))).toMatchObject({
      ok: false,
      failure: { kind: 'no-gate' },
    });
    expect(findGate(config('gate: none'), filesIn(dir))).toMatchObject({
      value: { gate: { id: 'none' } },
    });
  });
});

describe('a quick gate', () => {
  test('is for branches alone, under an identity of its own', () => {
    const found = need(
      findGate(config('gate: { commands: [make], quick: [make quick] }'), filesIn(dir)),
    );
    const { gate, quick } = found;
    expect(quick).toMatchObject({ commands: ['make quick'], timeoutMs: gate.timeoutMs });
    expect(quick?.id).not.toBe(gate.id);
  });

  test('is absent where nobody named one, or where there is no gate at all', () => {
    writeFileSync(join(dir, 'Makefile'), 'test:\n\ttrue\n');
    for (const text of ['', 'gate: none', 'gate: { commands: [x] }']) {
      const found = findGate(config(text), filesIn(dir));
      expect(found.ok && found.value.quick, text).toBeUndefined();
    }
  });
});

describe('the files of a commit', () => {
  /** A commit that holds these files and nothing else. */
  const commitWith = (files: Readonly<Record<string, string>>): Git =>
    ({ file: async (_commit: string, path: string) => files[path] }) as unknown as Git;

  const gateAt = async (files: Readonly<Record<string, string>>) => {
    const at = await filesAt(commitWith(files), 'c', dir);
    return findGate(config(), at);
  };

  test('show the gate, whatever the checkout has', async () => {
    writeFileSync(join(dir, 'justfile'), 'test:\n  true\n');
    writeFileSync(join(dir, 'Makefile'), 'check:\n\ttrue\n');
    const found = await gateAt({ Makefile: 'test:\n\tfalse\n' });
    expect(found).toMatchObject({ value: { gate: { commands: ['make test'] }, from: 'Makefile' } });
  });

  test('may show that there is none, though the checkout would', async () => {
    writeFileSync(join(dir, 'Makefile'), 'test:\n\ttrue\n');
    const found = await gateAt({ 'package.json': '{}' });
    expect(found).toMatchObject({ ok: false, failure: { kind: 'no-gate' } });
  });

  test('leave it to the checkout where none of them could show anything', async () => {
    writeFileSync(join(dir, 'Makefile'), 'test:\n\ttrue\n');
    expect(await gateAt({})).toMatchObject({ value: { gate: { commands: ['make test'] } } });
  });

  test('are read with what the checkout says about how to read them', async () => {
    writeFileSync(join(dir, 'pnpm-lock.yaml'), '');
    const found = await gateAt({ 'package.json': '{"scripts":{"test":"vitest"}}' });
    expect(found).toMatchObject({ value: { gate: { commands: ['pnpm test'] } } });
  });

  test('that cannot be read are no files that are not there', async () => {
    const broken = { kind: 'git-failed', args: [], exit: 128, stderr: 'bad object' } as const;
    const git = { file: () => Promise.reject(new Trouble(broken)) } as unknown as Git;
    expect(await outcomeOf(filesAt(git, 'c', dir))).toMatchObject({ ok: false, failure: broken });
  });
});

describe('before a run starts, a gate', () => {
  const gate = (...commands: string[]) => ({ id: 'x', commands, timeoutMs: 1_000 });
  const check = (...commands: string[]) => checkGate({ root: dir, probe }, gate(...commands), []);

  test('whose programs are there is fit', async () => {
    writeFileSync(join(dir, 'check.sh'), '#!/bin/sh\n');
    chmodSync(join(dir, 'check.sh'), 0o755);
    expect(await check('sh -c true', 'NODE_ENV=test node --version', './check.sh --all')).toEqual({
      ok: true,
      value: undefined,
    });
  });

  test('with a program that is nowhere is refused, by its name', async () => {
    expect(await check('true', 'no-such-program --flag')).toMatchObject({
      ok: false,
      failure: { kind: 'gate-unusable', command: 'no-such-program --flag' },
    });
    expect(await check('scripts/none.sh')).toMatchObject({ failure: { kind: 'gate-unusable' } });
  });

  test('may start with a program that the set-up creates', async () => {
    const made = gate('.venv/bin/python -m pytest');
    expect(await checkGate({ root: dir, probe }, made, ['make venv'])).toMatchObject({ ok: true });
  });

  test('with shell syntax in front is given the benefit of the doubt', async () => {
    for (const command of ['(cd sub && make)', '[ -f x ] || exit 1', '$RUNNER test', '"a b" c']) {
      expect(await check(command)).toMatchObject({ ok: true });
    }
  });

  test('may be made of what the shell itself knows', async () => {
    expect(await check('test -f x', 'cd sub', 'exit 0')).toMatchObject({ ok: true });
  });
});
