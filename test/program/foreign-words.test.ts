// Escape sequences, overrides and invisible characters of agents and tasks are shown as text in every output.
import { expect, test } from 'vitest';
import { exit, print, testProject, write } from '../rig.ts';

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

test('no command lets a control or invisible character of an agent reach the terminal', async () => {
  const y = hostile();
  expect((await y.ym('run', y.plan)).code).toBe(1);
  for (const words of [
    ['tasks', '--all'],
    ['status'],
    ['status', '--verbose', '--all'],
    ['status', '--json'],
    ['show', 'a'],
    ['show', 'a', '--json'],
    ['why', 'a'],
    ['why', 'b'],
    ['why', 'b', '--json'],
    ['log', 'a'],
    ['log', 'a', '--json'],
    ['log', 'b'],
    ['summary'],
    ['summary', '--json'],
    ['ledger'],
    ['runs'],
    ['diff', 'a', '--stat'],
    ['diff', 'a', '--json'],
    ['graph'],
    ['graph', '--format', 'mermaid'],
    ['graph', '--format', 'dot'],
    ['review', '--list'],
    ['add', `More ${clear}\u202e`],
    ['show', `no${clear}such`],
    [`${clear}`],
  ]) {
    const { stdout, stderr } = await y.ym(...words);
    expect(stdout + stderr, words.join(' ')).not.toMatch(hidden);
  }
  expect((await y.ym('tasks', '--all')).stdout).toContain('Fix \\x1b[2Jthe \\u202egnp.exe');
  expect((await y.ym('log', 'a')).stdout).toContain('\\x1b]0;owned\\x07looks\\revil');
  const shown = JSON.parse((await y.ym('show', 'a', '--json')).stdout);
  expect(JSON.stringify(shown)).toContain(JSON.stringify(clear).slice(1, -1));
});
