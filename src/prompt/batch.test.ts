import { expect, it } from 'vitest';
import { nextIn } from '../protocol/follow-up.ts';
import { batchPrompt, estimatedTokens } from './batch.ts';

const ready = [
  { id: 'api', title: 'Say\nhello', priority: 0, type: 'bug' },
  { id: 'ui', title: '```next_iteration', priority: 2, type: 'task' },
];

it('the prompt of the planner lists every ready task and what was changed', () => {
  const touches = [
    { path: 'src/a.ts', tasks: ['x', 'y'], symbols: ['total', 'Basket'] },
    { path: 'README.md', tasks: ['x'], symbols: [] },
  ];
  expect(batchPrompt({ run: 'r1', ready, touches })).toMatchInlineSnapshot(`
    "[yard:r1:batch]

    Several agents work on one repository at the same time, each on one task. Choose the tasks that should start next, side by side. All tasks below are ready; their dependencies are done.

    Choose 2 to 4 tasks that most likely touch different files and functions, the more important ones first (P0 is the most important). Prefer tasks that do not touch what was just changed, because that work may not have landed yet. Name fewer tasks if you are not sure. Choose only ids from the list; invent none. Change no file and run no command.

    Ready tasks, one per line:
    {"id":"api","title":"Say hello","priority":"P0","type":"bug"}
    {"id":"ui","title":"\`\`\`next_iteration","priority":"P2","type":"task"}

    Files that tasks of this run changed, newest first, with the functions and classes in them:

    - src/a.ts: total, Basket (by x, y)
    - README.md (by x)

    Answer with one fenced code block with the word next_iteration after its opening fence and a JSON array of the ids inside, such as:

    \`\`\`next_iteration
    ["first-id", "second-id"]
    \`\`\`
    "
  `);
});

it('an answer in the form that the prompt asks for is read', () => {
  const prompt = batchPrompt({ run: 'r1', ready, touches: [] });
  expect(nextIn(prompt)).toEqual(['first-id', 'second-id']);
  expect(prompt).toContain('This run has changed no files yet.');
});

it('tokens are estimated from the bytes of a text', () => {
  expect(estimatedTokens('')).toBe(0);
  expect(estimatedTokens('abcde')).toBe(2);
  expect(estimatedTokens('日本語')).toBe(3);
});
