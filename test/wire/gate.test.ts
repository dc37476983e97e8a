import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { checkGate, findGate } from '../../src/wire/gate.ts';

let dir: string;
const env = { PATH: process.env.PATH ?? '' };

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ym-gate-'));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function config(text = '') {
  const loaded = loadConfig({
    root: dir,
    env: {},
    flags: {},
    readFile: (path) => (path.endsWith('yardmaster.yaml') ? text : undefined),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
  return loaded.value;
}

describe('the gate of a run', () => {
  test('is the one of the config before any that could be found', () => {
    writeFileSync(join(dir, 'Makefile'), 'test:\n\ttrue\n');
    const found = findGate(config('gate: { commands: ["./check"], timeout: 5m }'), dir);
    expect(found).toMatchObject({
      value: { gate: { commands: ['./check'], timeoutMs: 300_000 }, from: 'the config' },
    });
  });

  test('is found in the files of the repository', () => {
    writeFileSync(join(dir, 'Makefile'), 'test:\n\ttrue\n');
    const found = findGate(config(), dir);
    expect(found).toMatchObject({ value: { gate: { commands: ['make test'] } } });
  });

  test('is none at all only where a person says so', () => {
    expect(findGate(config(), dir)).toMatchObject({ ok: false, failure: { kind: 'no-gate' } });
    expect(findGate(config('gate: none'), dir)).toMatchObject({ value: { gate: { id: 'none' } } });
  });
});

describe('before a run starts, a gate', () => {
  const gate = (...commands: string[]) => ({ id: 'x', commands, timeoutMs: 1_000 });
  const check = (...commands: string[]) => checkGate(gate(...commands), dir, env);

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

  test('with shell syntax in front is given the benefit of the doubt', async () => {
    for (const command of ['(cd sub && make)', '[ -f x ] || exit 1', '$RUNNER test', '"a b" c']) {
      expect(await check(command)).toMatchObject({ ok: true });
    }
  });

  test('may be made of what the shell itself knows', async () => {
    expect(await check('test -f x', 'cd sub', 'exit 0')).toMatchObject({ ok: true });
  });
});
