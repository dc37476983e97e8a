// Every command of the table without a usable output, home, PATH or folder: a sentence and the right status.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../src/cli/commands.ts';
import { program } from '../../rig/child.ts';
import { type TestProject, testProject } from '../../rig.ts';

/** Left out: a whole demonstration. */
const names = commands.map(({ name }) => name).filter((name) => name !== 'demo');

function argsOf(name: string): string {
  const row = commands.find((one) => one.name === name);
  const given: Readonly<Record<string, string>> = {
    ACTION: 'show',
    SHELL: 'bash',
    FILE: 'plan.yaml',
  };
  const args = (row?.args ?? []).filter(({ required }) => required);
  // A server runs until it is ended; one that other machines reach is refused without a further option.
  if (name === 'ui') return 'ui --host 0.0.0.0';
  return [name, ...args.map((arg) => arg.choices?.[0] ?? given[arg.name] ?? 'a')].join(' ');
}

async function imported(): Promise<TestProject> {
  const y = testProject({ tasks: [{ id: 'a' }] });
  expect((await y.ym('import', y.plan)).code).toBe(0);
  return y;
}

interface Called {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a shell text in which `ym` is this program. */
function shell(y: TestProject, text: string, env: Readonly<Record<string, string>> = {}): Called {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', text], {
    cwd: y.root,
    input: '',
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env.PATH, YARDMASTER_STATE_DIR: y.state, ...env, YM: program },
  });
  return { code: status, stdout, stderr };
}

function expectSentence({ code, stderr }: Called, what: string): void {
  expect([0, 2, 3], `${what}: ${code} ${stderr}`).toContain(code);
  expect(stderr, what).not.toMatch(/Internal error|^\s+at .*:\d+/m);
}

const ym = `"${process.execPath}" "$YM"`;

test('commands on a full device report it in one sentence', async () => {
  const y = await imported();
  for (const name of names) {
    const called = shell(y, `${ym} ${argsOf(name)} >/dev/full`, { HOME: y.home });
    expectSentence(called, name);
    if (called.code === 3) expect(called.stderr, name).toContain('no space left on device');
  }
  expect(shell(y, `${ym} tasks >/dev/full`, { HOME: y.home }).code).toBe(3);
  expect(shell(y, `${ym} --help >/dev/full 2>/dev/full`, { HOME: y.home }).code).toBe(3);
});

test('commands with closed streams, or into a pipe without a reader, do not crash', async () => {
  const y = await imported();
  for (const name of names) {
    expectSentence(shell(y, `${ym} ${argsOf(name)} >&-`, { HOME: y.home }), name);
  }
  expect(shell(y, `${ym} tasks >&- 2>&- <&-`, { HOME: y.home }).code).toBe(0);
  const piped = shell(y, `(${ym} tasks; echo $? >&2) | true`, { HOME: y.home });
  expect(piped.stderr).toBe('0\n');
});

test('commands without a home do not crash', async () => {
  const y = await imported();
  for (const name of names) expectSentence(shell(y, `${ym} ${argsOf(name)}`), name);
});

test('commands in a removed folder report it in one sentence', async () => {
  const y = await imported();
  const gone = join(y.root, 'gone');
  for (const name of names) {
    mkdirSync(gone);
    const called = shell(y, `cd gone && rmdir ../gone && ${ym} ${argsOf(name)}`, { HOME: y.home });
    expectSentence(called, name);
    rmSync(gone, { recursive: true, force: true });
  }
});

test('commands skip a file and a missing folder in PATH', async () => {
  const y = await imported();
  const PATH = `/etc/passwd:${join(y.root, 'missing')}:${process.env.PATH}`;
  for (const name of ['doctor', 'run --scope ready --dry-run']) {
    expectSentence(shell(y, `${ym} ${name}`, { HOME: y.home, PATH }), name);
  }
});
