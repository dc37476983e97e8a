// Escape sequences, overrides and invisible characters of agents and tasks are shown as text in every output.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { bell, clear, esc, hidden, hostile } from '../../rig/foreign-words.ts';

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

test('what lands is named in the history as it is shown', async () => {
  const y = hostile();
  await y.ym('run', y.plan);
  const log = y.git('log', '--format=%B', 'main');
  expect(log).toContain('Fix \\x1b[2Jthe \\u202egnp.exe\n');
  expect(log).not.toMatch(hidden);
});

test('another program gets the bytes', async () => {
  const y = hostile();
  await y.ym('run', y.plan);
  expect((await y.ym('log', 'a', '--raw')).stdout).toContain(`${esc}]0;owned${bell}looks\revil\n`);
  expect((await y.ym('diff', 'a')).stdout).toContain(`//${clear} \u202e done`);
});

// reason: only util-linux has a `script` that gives the exit status back; other systems have another one.
test.skipIf(!hasScript)('a person on a terminal sees them', async () => {
  const y = hostile();
  await y.ym('run', y.plan);
  for (const words of ['log a --raw', 'diff a']) {
    const terminal = y.terminal(`ym ${words}`);
    expect(await terminal.end()).toBe(0);
    expect(terminal.output(), words).not.toContain(clear);
    expect(terminal.output(), words).not.toContain('\u202e');
    expect(terminal.output(), words).not.toContain(bell);
  }
});
