import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.ts';
import { limits } from '../../src/model/limits.ts';
import type { Task } from '../../src/model/task.ts';
import { guessFormat, type PlanFormat, readPlan } from '../../src/source/plan-file.ts';
import { cpuClock } from '../rig/cpu-clock.ts';
import { need } from '../rig/need.ts';

function tasks(text: string, format?: PlanFormat): readonly Task[] {
  const read = need(readPlan('plan', text, format));
  return read.tasks;
}

function failures(text: string, format: PlanFormat = 'yaml'): readonly Failure[] {
  const read = readPlan('plan.x', text, format);
  return read.ok ? [] : read.failure;
}

/** `line: problem → remedy`, short enough to compare. */
const messages = (text: string, format: PlanFormat = 'yaml'): string[] =>
  failures(text, format).map((failure) =>
    failure.kind === 'source-invalid'
      ? `${failure.line}: ${failure.problem} → ${failure.remedy}`
      : failure.kind,
  );

describe('a plan file', () => {
  it('may be a plain list', () => {
    expect(tasks('- title: One\n- title: Two\n').map(({ id }) => id)).toEqual(['one', 'two']);
    expect(tasks('[{"title": "One"}]', 'json').map(({ id }) => id)).toEqual(['one']);
  });

  it('fills in what was left out', () => {
    expect(tasks('tasks:\n  - title: Only a title\n')).toEqual([
      {
        id: 'only-a-title',
        title: 'Only a title',
        body: '',
        after: [],
        priority: 2,
        type: 'task',
        labels: [],
        paths: [],
        scope: 'predicted',
        checks: [],
        acceptance: [],
      },
    ]);
  });

  it('takes a key without a value as left out', () => {
    const [task] = tasks('- title: A\n  after:\n  labels:\n  body:\n  id:\n');
    expect(task).toMatchObject({ id: 'a', after: [], labels: [], body: '' });
  });

  it('takes one text where a list may stand', () => {
    const [task] = tasks('- {title: A, after: x, checks: make test, labels: l, paths: src/**}\n');
    expect(task).toMatchObject({
      after: ['x'],
      checks: ['make test'],
      labels: ['l'],
      paths: ['src/**'],
    });
  });

  it('takes whole numbers as ids, and keeps how they were written', () => {
    const [a, b, c] = tasks(
      '- {id: 12, title: A}\n- {id: 012, title: B, after: 12}\n- {id: 1.10, title: C}\n',
    );
    expect([a?.id, b?.id, c?.id]).toEqual(['12', '012', '1.10']);
    expect(b?.after).toEqual(['12']);
    expect(tasks('[[tasks]]\nid = 12\ntitle = "A"\n', 'toml')[0]?.id).toBe('12');
  });

  it.each([
    ['0', 0],
    ['4', 4],
    ['P1', 1],
    ['p3', 3],
    ['"2"', 2],
  ])('reads the priority %s', (written, priority) => {
    expect(tasks(`- {title: A, priority: ${written}}\n`)[0]?.priority).toBe(priority);
  });

  it('numbers ids made from equal titles, around ids that are given', () => {
    const plan = '- title: Fix it\n- title: Fix it!\n- {id: fix-it-3, title: x}\n- title: fix IT\n';
    expect(tasks(plan).map(({ id }) => id)).toEqual(['fix-it', 'fix-it-2', 'fix-it-3', 'fix-it-4']);
  });

  it('numbers ten thousand equal titles quickly', () => {
    const many = JSON.stringify(Array.from({ length: 10_000 }, () => ({ title: 'Same' })));
    const spentMs = cpuClock();
    expect(new Set(tasks(many).map(({ id }) => id)).size).toBe(10_000);
    expect(spentMs()).toBeLessThan(3_000);
  });

  it('begins with a mark of its encoding without harm', () => {
    expect(tasks('\uFEFF[{"title": "A"}]')).toHaveLength(1);
    expect(tasks('\uFEFFtasks: [{title: A}]')).toHaveLength(1);
  });
});

describe('a plan file that is wrong', () => {
  it.each([
    [
      'an unknown key',
      'tasks:\n  - titel: A\n    title: B\n',
      '2: "titel" of task 1 is not a known key → Did you mean "title"? Known here: id, title, body, after, priority, type, labels, paths, scope, checks, acceptance, parent, difficulty, estimate, link, wait, agent, attempts.',
    ],
    [
      'an unknown key at the top',
      'task:\n  - title: A\n',
      '1: "task" is not a known key → Did you mean "tasks"? Known here: tasks.',
    ],
    [
      'no title',
      '- body: x\n',
      '1: "title" of task 1 is missing → Write a text here, in quotes if it looks like a number or like true or false.',
    ],
    [
      'a bad priority',
      '- title: A\n  priority: 7\n',
      '2: "priority" of task 1 is 7 → Give 0 (first) to 4 (last), or P0 to P4.',
    ],
    [
      'a bad scope',
      '- title: A\n  scope: loose\n',
      '2: "scope" of task 1 is "loose" → Write "strict", or leave the key out.',
    ],
    [
      'a path outside',
      '- title: A\n  paths:\n    - src\n    - ../x\n',
      '4: item 2 of "paths" of task 1 is "../x" → Give globs relative to the repository, such as "src/api/**", without "..".',
    ],
    [
      'several ids in one text',
      '- title: A\n  after: a, b\n',
      '2: "after" of task 1 is "a, b" → Name one task by its id; write several as a list: [a, b].',
    ],
    [
      'a task that is a text',
      'tasks:\n  - just text\n',
      '2: task 1 is "just text" → Write a task as a map of keys, with at least a title.',
    ],
    [
      'something else entirely',
      'hello\n',
      '1: the plan is "hello" → Begin with "tasks:" and give the tasks as a list below it.',
    ],
    [
      'a title of many lines',
      '- title: "a\\nb"\n',
      '1: "title" of task 1 is "a\\nb" → Keep the title to one line and put the rest into "body".',
    ],
    [
      'an id with a letter that is not allowed',
      '- {id: größe, title: x}\n',
      '1: "id" of task 1 is "größe" → "ö" is not allowed in an id. Use letters a to z, digits, ".", "_" and "-", beginning with a letter or a digit, at most 80 characters.',
    ],
    [
      'an id that is used twice',
      '- {id: a, title: x}\n- {id: A, title: y}\n',
      '2: the id "A" is used a second time (first on line 1) → Give each task its own id; letter case does not tell ids apart.',
    ],
    [
      'a wait that is no text',
      'tasks:\n  - title: A\n    wait:\n      - pull: 12\n',
      '4: item 1 of "wait" of task 1 is a map of keys → Write "pull 12", "until 2026-12-01", "until 2026-12-01T09:00Z", "file PATH" or "command COMMAND".',
    ],
    [
      'a wait for a day that does not exist',
      'tasks:\n  - title: A\n    wait: [pull 12, until 2026-02-30]\n',
      '3: item 2 of "wait" of task 1 is "until 2026-02-30" → Write "pull 12", "until 2026-12-01", "until 2026-12-01T09:00Z", "file PATH" or "command COMMAND".',
    ],
  ])('is refused for %s', (_, text, sentence) => {
    expect(messages(text)).toEqual([sentence]);
  });

  it.each(['true', 'off/on', '../x', '-a', 'a..b', 'x.lock', 'a b', '[1]', '1.5.', '~x'])(
    'does not take %s as an id',
    (id) => {
      expect(messages(`- title: A\n  id: ${id}\n`)).toHaveLength(1);
    },
  );

  it('hints at quotes for a truth value', () => {
    expect(messages('- title: A\n  id: true\n')[0]).toMatch(/is true → Put the id in quotes/);
    expect(messages('- title: yes\n- title: false\n')[0]).toMatch(/is false → .*in quotes/);
  });

  it('reports every problem of a file at once, in the order of the lines', () => {
    const text =
      'tasks:\n  - title: A\n    priority: 9\n    colour: red\n  - body: x\n  - title: ""\n';
    expect(messages(text).map((sentence) => sentence.split(':')[0])).toEqual(['3', '4', '5', '6']);
  });

  it('points at lines in TOML and JSON as well', () => {
    expect(
      messages('[[tasks]]\ntitle = "A"\n\n[[tasks]]\ntitle = "B"\npriority = 9\n', 'toml')[0],
    ).toMatch(/^6: /);
    expect(
      messages('{"tasks": [\n{"title": "A"},\n{"title": "B",\n"priority": 9}]}', 'json')[0],
    ).toMatch(/^4: /);
    expect(messages('title = \n', 'toml')[0]).toMatch(/^1: the TOML/);
    expect(messages('{"tasks": [],}', 'json')[0]).toMatch(/^1: the JSON/);
  });

  it('refuses dates of TOML with a hint to quote', () => {
    expect(messages('[[tasks]]\ntitle = 2020-01-01\n', 'toml')[0]).toMatch(
      /is a date → .*in quotes/,
    );
  });

  it('refuses a JSON file that is only YAML', () => {
    expect(failures('tasks:\n- title: a\n', 'json')).toHaveLength(1);
  });

  it.each(['', '# only a comment\n', 'tasks:\n', 'tasks: []\n', '[]'])(
    'refuses %j, which holds no task',
    (text) => {
      expect(failures(text)).toMatchObject([{ problem: 'it contains no task' }]);
    },
  );

  it('holds titles and bodies to their limits', () => {
    const long = 'x'.repeat(limits.titleChars + 1);
    expect(messages(JSON.stringify([{ title: long }]), 'json')[0]).toContain(
      `${limits.titleChars}`,
    );
    const body = 'x'.repeat(limits.bodyChars + 1);
    expect(messages(JSON.stringify([{ title: 'A', body }]), 'json')[0]).toContain(
      `${limits.bodyChars}`,
    );
    expect(tasks(JSON.stringify([{ title: 'A', body: body.slice(1) }]))).toHaveLength(1);
  });

  it('never throws, whatever the text', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.stringMatching(/^[-[\]{}:,*&!|>#'" \na-z0-9]{0,60}$/),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom<PlanFormat[]>('yaml', 'toml', 'json'), (text, format) => {
        const read = readPlan('plan', text, format);
        if (!read.ok) expect(read.failure.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('guessFormat', () => {
  it.each([
    ['{"a": 1}', 'json'],
    ['\n  [1]', 'json'],
    ['tasks: []', 'yaml'],
    ['', 'yaml'],
  ])('takes %j for %s', (text, format) => {
    expect(guessFormat(text)).toBe(format);
  });
});
