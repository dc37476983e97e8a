import { describe, expect, it } from 'vitest';
import { idProblem } from '../../src/model/task.ts';
import { order, readForeign } from './foreign.ts';

type Issue = Readonly<Record<string, unknown>>;

const lines = (issues: readonly Issue[]): string =>
  issues
    .map((issue) => JSON.stringify({ status: 'open', priority: 2, issue_type: 'task', ...issue }))
    .join('\n');

const read = (...issues: readonly Issue[]) =>
  readForeign('.beads', { '.beads/issues.jsonl': lines(issues) });

const link = (type: string, ...ids: readonly string[]) =>
  ids.map((depends_on_id) => ({ depends_on_id, type }));

describe('an export of Beads', () => {
  it('leaves closed issues out, and nothing waits for them', async () => {
    const reading = await read(
      { id: 'a', title: 'A', status: 'closed' },
      { id: 'gone', status: 'tombstone' },
      { id: 'b', title: 'B', dependencies: link('blocks', 'a', 'gone', 'c') },
      { id: 'c', title: 'C', status: 'blocked', dependencies: link('parent-child', 'a') },
    );
    expect(order(reading)).toEqual(['b c', 'c']);
    expect(reading.tasks[1]).not.toHaveProperty('parent');
    expect(reading.note).toBeUndefined();
  });

  it('gives no task and no failure if all issues are closed', async () => {
    const reading = await read({ id: 'a', title: 'A', status: 'closed' });
    expect(reading).toEqual({ tasks: [], note: undefined, problems: [] });
  });

  it('says which issues are in progress', async () => {
    const reading = await read(
      { id: 'a', title: 'A', status: 'in_progress' },
      { id: 'b', title: 'B', status: 'hooked' },
    );
    expect(order(reading)).toEqual(['a', 'b']);
    expect(reading.note).toBe(
      '.beads/issues.jsonl: 2 issues are in progress and become tasks: a, b. End other work on them first.',
    );
  });

  it('leaves out what is on hold, with everything that waits for it', async () => {
    const reading = await read(
      { id: 'later', title: 'Later', status: 'deferred' },
      { id: 'next', title: 'Next', dependencies: link('blocks', 'later') },
      { id: 'last', title: 'Last', dependencies: link('blocks', 'next') },
      { id: 'gate', title: 'Wait for the release', issue_type: 'gate' },
      { id: 'released', title: 'Announce', dependencies: link('blocks', 'gate') },
      { id: 'own', title: 'Own status', status: 'in_review' },
      { id: 'if-red', title: 'If red', dependencies: link('conditional-blocks', 'free') },
      { id: 'free', title: 'Free', dependencies: link('related', 'later') },
    );
    expect(order(reading)).toEqual(['free']);
    expect(reading.note).toBe(
      '.beads/issues.jsonl: 7 issues are left out, on hold or waiting for one that is: later, next, last, gate, released and 2 more.',
    );
  });

  it('starts nothing after an epic that has a part on hold', async () => {
    const reading = await read(
      { id: 'epic', title: 'Epic', issue_type: 'epic' },
      { id: 'now', title: 'Now', dependencies: link('parent-child', 'epic') },
      {
        id: 'later',
        title: 'Later',
        status: 'deferred',
        dependencies: link('parent-child', 'epic'),
      },
      { id: 'after', title: 'After', dependencies: link('blocks', 'epic') },
    );
    expect(order(reading)).toEqual(['epic', 'now']);
  });

  it('lets a child wait for whatever its parents wait for', async () => {
    const reading = await read(
      { id: 'first', title: 'First' },
      {
        id: 'epic',
        title: 'Epic',
        issue_type: 'epic',
        dependencies: link('blocks', 'first', 'inner'),
      },
      { id: 'sub', title: 'Sub', issue_type: 'epic', dependencies: link('parent-child', 'epic') },
      { id: 'inner', title: 'Inner', dependencies: link('parent-child', 'sub') },
    );
    expect(order(reading)).toEqual(['first', 'epic first inner', 'sub first', 'inner first']);
    expect(reading.tasks.map(({ parent }) => parent)).toEqual([
      undefined,
      undefined,
      'epic',
      'sub',
    ]);
  });

  it('ends where parents form a circle', async () => {
    const reading = await read(
      { id: 'a', title: 'A', dependencies: link('parent-child', 'b') },
      { id: 'b', title: 'B', dependencies: link('parent-child', 'a') },
    );
    expect(reading.tasks.map(({ parent }) => parent)).toEqual(['b', 'a']);
  });

  it('joins the texts of an issue and reads a list of criteria as items', async () => {
    const { tasks } = await read({
      id: 'a',
      title: 'A',
      description: 'Do it.',
      design: 'Like this.',
      notes: '  ',
      acceptance_criteria: '1. One\n2. Two\n',
      external_ref: 'gh-9',
    });
    expect(tasks[0]).toMatchObject({
      body: 'Do it.\n\n## Design\n\nLike this.',
      acceptance: ['One', 'Two'],
    });
    expect(tasks[0]).not.toHaveProperty('link');
  });

  it('keeps criteria in prose together', async () => {
    const { tasks } = await read({ id: 'a', title: 'A', acceptance_criteria: 'It works:\n- here' });
    expect(tasks[0]?.acceptance).toEqual(['It works:\n- here']);
  });

  it.each([
    ['<!-- hew:model=opus -->', ['model:opus', 'x']],
    ['text <!--hew:model= opus -->', ['model:opus', 'x']],
    ['<!-- hew:model= -->', ['model:haiku', 'x']],
    ['<!-- hew:model=opus', ['model:haiku', 'x']],
    ['hew:model=opus', ['model:haiku', 'x']],
  ])('reads the model of %j before that of a label', async (description, labels) => {
    const issue = { id: 'a', title: 'A', description, labels: ['model:haiku', 'x'] };
    expect((await read(issue)).tasks[0]?.labels).toEqual(labels);
  });

  it('passes over memories and empty lines', async () => {
    const reading = await readForeign('x.jsonl', {
      'x.jsonl': `\n${lines([{ _type: 'issue', id: 'a', title: 'A' }])}\n{"_type":"memory","key":"k","value":"v"}\n`,
    });
    expect(order(reading)).toEqual(['a']);
  });

  it('reports every broken issue with its line', async () => {
    const { problems } = await read(
      { id: 'a', title: 'A\nB' },
      { id: '', title: 'B' },
      { title: 'C' },
      { id: 'd', title: 'D', priority: 7, labels: 'x', estimated_minutes: -1 },
      { id: 'e', title: 'E', priority: 'urgent' },
      { id: 'f', title: 'F', dependencies: link('blocks', 'external:shop:search') },
      { id: 'g', title: 'G', dependencies: link('parent-child', 'a', 'e') },
      { id: 'E', title: 'E again', status: 'closed' },
    );
    expect(problems).toMatchInlineSnapshot(`
      [
        ".beads/issues.jsonl:1: "title" of issue "a" is "A\\nB" → Keep the title to one line and put the rest into "description".",
        ".beads/issues.jsonl:2: "id" of the issue is "" → Give the issue an id.",
        ".beads/issues.jsonl:3: "id" of the issue is missing → Write a text here, in quotes if it looks like a number or like true or false.",
        ".beads/issues.jsonl:4: "labels" of issue "d" is "x" → Give a list of texts.",
        ".beads/issues.jsonl:4: "estimated_minutes" of issue "d" is -1 → Give whole minutes.",
        ".beads/issues.jsonl:5: "priority" of issue "e" is "urgent" → Give 0 (first) to 4 (last), or P0 to P4.",
        ".beads/issues.jsonl:6: issue "f" waits for "external:shop:search" of another project → Remove this dependency with \`bd dep remove\`, then export again.",
        ".beads/issues.jsonl:7: issue "g" has more than one parent → Keep one dependency of type parent-child.",
        ".beads/issues.jsonl:8: the id "E" is used a second time (first on line 5) → Give each task its own id; letter case does not tell ids apart.",
      ]
    `);
  });

  it.each([
    ['no issue', '{"_type":"memory","key":"k"}', 'it contains no issue'],
    ['nothing', '\n', 'it contains no issue'],
    ['a list', '[1]', 'the issue is a list'],
    ['half a line', '{"id":"a"', 'the JSON ends too early'],
    ['a merge conflict', '<<<<<<< HEAD\n', 'git left a merge conflict here'],
  ])('refuses a file with %s', async (_, text, problem) => {
    const { problems } = await readForeign('x.jsonl', { 'x.jsonl': text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('says how to write the export if the folder has none', async () => {
    expect((await readForeign('.beads', { '.beads/config.yaml': '' })).problems).toEqual([
      '.beads:: the folder contains no issues.jsonl → Write it with `bd export -o .beads/issues.jsonl`.',
    ]);
  });

  it.each(['../../etc', 'a b', '😀', 'x'.repeat(300), '$(rm -rf .)', 'a..b', 'x.lock', '-rf', 'ä'])(
    'gives the id %j a valid one, the same everywhere',
    async (id) => {
      const { tasks } = await read(
        { id, title: 'A' },
        { id: 'b', title: 'B', dependencies: link('blocks', id) },
      );
      expect(idProblem(tasks[0]?.id ?? '')).toBeUndefined();
      expect(tasks[1]?.after).toEqual([tasks[0]?.id]);
    },
  );

  it('keeps ids apart that have the same letters', async () => {
    const { tasks } = await read({ id: 'a b', title: 'A' }, { id: 'a  b', title: 'B' });
    expect(tasks.map(({ id }) => id)).toEqual(['a-b-c8687a08', 'a-b-6e12db73']);
  });
});
