// Escape sequences, overrides and invisible characters of agents and tasks are shown as text in every output.

import { expect, test } from 'vitest';
import { clear, hidden, hostile } from '../rig/foreign-words.ts';

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
