import { describe, expect, it } from 'vitest';
import { idProblem } from '../../src/model/task.ts';
import { order, readForeign } from './foreign.ts';

const read = (files: Readonly<Record<string, string>>) => {
  const below = Object.entries(files).map(([name, text]) => [`tasks/${name}`, text]);
  return readForeign('tasks', Object.fromEntries(below));
};

describe('tickets of oompa', () => {
  it('keep the order of their names, and tickets at work are named', async () => {
    const reading = await read({
      'pending/b.json': '{"id": "two", "summary": "B"}',
      'current/a.edn': '{:summary "A"}',
      'pending/c.json': '{"summary": "C"}',
      'complete/d.json': 'broken',
      'pending/PLANNER_STATUS.md': 'nothing',
      'pending/_draft.json': 'nothing',
    });
    expect(order(reading)).toEqual(['a', 'two', 'c']);
    expect(reading.note).toBe(
      'tasks: 1 ticket in current becomes a task too: a. End other work on it first.',
    );
  });

  it('give no task and no failure if all are complete', async () => {
    const reading = await read({ 'complete/a.json': '{}', 'pending/.gitkeep': '' });
    expect(reading).toEqual({ tasks: [], note: undefined, problems: [] });
  });

  it('may be written in either style of keys', async () => {
    const { tasks } = await read({
      'pending/a.edn':
        '{:id "a" :summary "A" :difficulty :Complex :target-files ["./src/a.ts" "docs/"] :acceptance "1. One\n2. Two" :priority 1 :completed-by nil}',
      'pending/b.json':
        '{"id": 7, "summary": "B", "difficulty": "heroic", "target_files": "src/b.ts", "priority": "soon"}',
    });
    expect(tasks).toMatchObject([
      {
        difficulty: 'hard',
        paths: ['src/a.ts', 'docs/**'],
        acceptance: ['One', 'Two'],
        priority: 1,
      },
      { id: '7', paths: ['src/b.ts'], priority: 2 },
    ]);
    expect(tasks[1]).not.toHaveProperty('difficulty');
  });

  it('report every broken ticket with file and line', async () => {
    const { problems } = await read({
      'pending/a.json': '{\n "id": "a",\n "files": ["ok", "../etc/passwd"]\n}',
      'pending/b.edn': '{:summary\n "a" :summary "b"}',
      'pending/c.edn': '[{:summary "C"}]',
      'pending/d.json': '',
      'pending/e.edn': '',
      'pending/f.json': '{"summary": "F", "acceptance": [1]}',
      'current/g.json': '{"id": "same", "summary": "G"}',
      'pending/h.json': '{"id": "SAME", "summary": "H"}',
      'pending/i.json': '{}',
    });
    expect(problems).toMatchInlineSnapshot(`
      [
        "tasks/pending/a.json:1: "summary" of the ticket is missing → Write a text here, in quotes if it looks like a number or like true or false.",
        "tasks/pending/a.json:3: item 2 of "files" of the ticket is "../etc/passwd" → Give globs relative to the repository, such as "src/api/**", without "..".",
        "tasks/pending/b.edn:2: the same key is given twice → Keep one of the two.",
        "tasks/pending/c.edn:1: the ticket is a list → Write a ticket as one map of keys.",
        "tasks/pending/d.json:1: the JSON ends too early → JSON needs double quotes, and allows neither comments nor a comma after the last item.",
        "tasks/pending/e.edn:: the ticket is empty → Write a ticket as one map of keys.",
        "tasks/pending/f.json:1: item 1 of "acceptance" of the ticket is 1 → Write a text here, in quotes if it looks like a number or like true or false.",
        "tasks/pending/h.json:: the id "SAME" is also used by tasks/current/g.json → Remove one of the files, or give it another "id".",
        "tasks/pending/i.json:1: "summary" of the ticket is missing → Write a text here, in quotes if it looks like a number or like true or false.",
      ]
    `);
  });

  it('refuse a folder without any ticket', async () => {
    expect((await read({ 'pending/.gitkeep': '' })).problems).toEqual([
      'tasks:: the folder contains no ticket → Add one .json or .edn file per ticket to its folder `pending`.',
    ]);
  });

  it('leave a folder of Markdown files what it is', async () => {
    expect(order(await read({ 'x.md': '# X\n', 'pending/a.json': '{}' }))).toEqual(['x']);
  });

  it.each(['../x', 'a b', '😀', 'x'.repeat(300), '$HOME'])('make the id %j valid', async (id) => {
    const { tasks } = await read({ 'pending/a.json': JSON.stringify({ id, summary: 'A' }) });
    expect(tasks.map((task) => idProblem(task.id))).toEqual([undefined]);
  });
});
