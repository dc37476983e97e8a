// Escape sequences, overrides and invisible characters of agents and tasks are shown as text in every output.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { exit, print, testProject, write } from '../../rig.ts';

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

const esc = String.fromCharCode(27);
const bell = String.fromCharCode(7);
const clear = `${esc}[2J`;
const hidden = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u;

function hostile() {
  return testProject({
    config: { retries: 0 },
    tasks: [
      { id: 'a', title: `Fix ${clear}the \u202egnp.exe`, body: `See \u200b${clear}this` },
      { id: 'b', title: `Give\u200b up ${esc}[8mhidden` },
    ],
    script: {
      a: [
        [
          print(`${esc}]0;owned${bell}looks\revil\n`),
          write('b\u202etxt.js', `const a = 1; //${clear} \u202e done\n`),
        ],
      ],
      b: [[print(`${clear}cannot\u2066\n`), exit(3)]],
    },
  });
}

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
