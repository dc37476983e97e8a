import { describe, expect, it } from 'vitest';
import { idProblem } from '../../src/model/task.ts';
import { order, readForeign } from './foreign.ts';

const yaml = (text: string) => readForeign('spec.yaml', { 'spec.yaml': text });
const toml = (text: string) => readForeign('spec.toml', { 'spec.toml': text });

describe('a spec of boi', () => {
  it('leaves out what is done or skipped, and nothing waits for it', async () => {
    const reading = await yaml(
      `title: Big Work!
tasks:
  - { id: t-1, title: One, status: DONE }
  - { id: t-2, title: Two, status: SKIPPED, depends: [t-1] }
  - { id: t-3, title: Three, status: FAILED, depends: [t-1, t-2] }
  - { id: t-4, title: Four, status: RUNNING, depends: [t-3] }
  - { id: t-5, title: Five }
`,
    );
    expect(order(reading)).toEqual(['big-work.t-3', 'big-work.t-4 big-work.t-3', 'big-work.t-5']);
    expect(reading.note).toBe(
      'spec.yaml: 2 running or failed tasks of the spec become tasks again: big-work.t-3, big-work.t-4.',
    );
  });

  it('gives every task the context, and says that outcomes are left out', async () => {
    const reading = await yaml(
      'title: S\nmode: execute\ncontext: |\n  A shop.\noutcomes:\n  - { description: Builds, verify: make }\ntasks:\n  - { id: t-1, title: One, spec: Do it. }\n',
    );
    expect(reading.tasks[0]?.body).toBe('Do it.\n\n## Context\n\nA shop.');
    expect(reading.note).toBe(
      'spec.yaml: 1 check of the whole spec is left out. If it is a command, add it to the gate.',
    );
  });

  it('reads the newer form, also without refs', async () => {
    const reading = await toml(
      `title = "S"
[contract]
scope = "All of it"
base_branch = "main"
exclusions = ["payment"]
[[tasks]]
behavior = "Build the index"
verifications = [{ command = "make" }, { intent = "It is fast" }]
`,
    );
    expect(reading.tasks).toMatchObject([
      {
        id: 's.build-the-index',
        title: 'Build the index',
        body: '## Scope of the whole spec\n\nAll of it\n\n## Not part of the spec\n\n- payment',
        checks: ['make'],
        acceptance: ['It is fast'],
      },
    ]);
  });

  it('reports every problem with its line', async () => {
    const { problems } = await yaml(
      `title: S
mode: execute
tasks:
  - id: t-1
    title: One
    status: Finished
  - id: t-1
    title: Two
  - id: t-3
    title: Three
    depend: [t-1]
  - id: t-4
    depends: t-1
  - words
  - id: T-1
    title: Six
`,
    );
    expect(problems).toMatchInlineSnapshot(`
      [
        "spec.yaml:6: "status" of task 1 is "Finished" → Write PENDING, RUNNING, DONE, FAILED or SKIPPED.",
        "spec.yaml:11: "depend" of task 3 is not a known key → Did you mean "depends"?",
        "spec.yaml:13: "depends" of task 4 is "t-1" → Give a list of ids.",
        "spec.yaml:14: task 5 is "words" → Write a task as a map of keys.",
        "spec.yaml:15: the id "s.T-1" is used a second time (first on line 7) → Give each task its own id; letter case does not tell ids apart.",
      ]
    `);
  });

  it('refuses to wait for a task that the spec does not have', async () => {
    const { problems } = await yaml(
      'title: S\ntasks:\n  - { id: first, title: One }\n  - id: t-2\n    title: Two\n    depends: [frist, other]\n',
    );
    expect(problems).toEqual([
      'spec.yaml:6: task 2 waits for "frist", which the spec does not have → Did you mean "first"?',
      'spec.yaml:6: task 2 waits for "other", which the spec does not have → Correct "depends", or add the task.',
    ]);
  });

  it.each([
    ['title: ""\ntasks:\n  - { id: a, title: A, spec: x }\n', '"title" of the spec is ""'],
    ['title: S\nmode: execute\ntasks: []\n', '"tasks" of the spec is an empty list'],
    ['title: [1]\nmode: x\ntasks: no\n', '"title" of the spec is a list'],
  ])('refuses %j', async (text, problem) => {
    expect((await yaml(text)).problems.join()).toContain(problem);
  });

  it('refuses the name that another format has for depends', async () => {
    const { problems } = await yaml(
      'title: S\nmode: execute\ntasks:\n  - { id: a, title: A }\n  - { id: b, title: B, deps: [a] }\n',
    );
    expect(problems).toEqual([
      'spec.yaml:5: "deps" of task 2 is not a known key → Did you mean "depends"?',
    ]);
  });

  it.each(['../x', 'a b', '😀', 'x'.repeat(300), '`id`'])('makes the id %j valid', async (id) => {
    const { tasks } = await yaml(
      `title: ${JSON.stringify(`${id} is a title`)}\nmode: execute\ntasks:\n  - { id: ${JSON.stringify(id)}, title: A }\n  - { id: b, title: B, depends: [${JSON.stringify(id)}] }\n`,
    );
    expect(tasks.map((task) => idProblem(task.id))).toEqual([undefined, undefined]);
    expect(tasks[1]?.after).toEqual([tasks[0]?.id]);
  });
});

describe('telling a spec from a plan file', () => {
  it.each([
    ['title: S\ntasks:\n  - { id: a, title: A }\n', 's.a'],
    ['title: S\ntasks:\n  - { id: a, title: A, verify: make }\n', 's.a'],
    ['tasks:\n  - { id: a, title: A }\n', 'a'],
    ['- { id: a, title: A }\n', 'a'],
  ])('reads %j', async (text, id) => {
    expect((await yaml(text)).tasks.map((task) => task.id)).toEqual([id]);
  });

  it('explains a plan file with a title as a plan file', async () => {
    const { problems } = await yaml('title: S\ntasks:\n  - { id: a, title: A, body: x }\n');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('"title" is not a known key');
  });

  it('explains a plan file with the key of a spec as a plan file', async () => {
    const { problems } = await yaml('tasks:\n  - { id: a, title: A, depends: [b] }\n');
    expect(problems[0]).toContain('"depends" of task 1 is not a known key');
  });
});
