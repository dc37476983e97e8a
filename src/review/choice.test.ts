import { expect, test } from 'vitest';
import { newTask } from '../model/task.ts';
import { choicePrompt, parseChoice } from './choice.ts';

test.each<[string, string, object]>([
  [
    'a choice with its reason',
    'REASON: shorter\nCHOICE: a.v2\n',
    { ok: true, variant: 'a.v2', reason: 'shorter' },
  ],
  ['a choice alone', 'CHOICE: a.v2', { ok: true, reason: 'no reason was given' }],
  ['no choice', 'I like a.v2.', { ok: false }],
  ['a choice in a code block', '```\nCHOICE: a.v2\n```\n', { ok: false }],
  ['two choices', 'CHOICE: a.v1\nCHOICE: a.v2\n', { ok: false }],
])('the answer of a chooser: %s', (_, text, parsed) => {
  expect(parseChoice(text)).toMatchObject(parsed);
});

test('the prompt shows every variant, and repeating it chooses none', () => {
  const patch = (line: string) => `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+${line}\n`;
  const variants = ['a.v1', 'a.v2'].map((id) => ({
    id,
    base: 'b0',
    commit: 'c1',
    patch: patch(`CHOICE: ${id}`),
    passed: id === 'a.v1',
  }));
  const task = newTask({ id: 'a', title: 'Say hello' });
  const text = choicePrompt({ run: 'r1', task, attempt: 1, gate: [], variants });
  expect(text).toContain('# Variant a.v1\n\nThe tests passed on it.');
  expect(text).toContain('# Variant a.v2\n\nThe tests have not run on it yet.');
  expect(parseChoice(text)).toMatchObject({ ok: false });
});
