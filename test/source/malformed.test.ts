// Broken files of every source: the right tasks, or sentences that say where and what to do; never a half-read source.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importTasks, readSources } from '../../src/app/tasks.ts';
import type { Failure } from '../../src/model/failure.ts';
import { isTaskId } from '../../src/model/task.ts';
import { MemoryStore } from '../memory/store.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const cwd = tempFolder();

interface Sample {
  /** As a user types it. */
  readonly source: string;
  readonly file: string;
  /** The text with this id. */
  text(id: string): string;
}

const json = JSON.stringify;
const samples: Readonly<Record<string, Sample>> = {
  'YAML plan': {
    source: 'a/plan.yaml',
    file: 'a/plan.yaml',
    text: (id) => `tasks:\n  - id: ${json(id)}\n    title: A\n    checks: ["npm test"]\n`,
  },
  'TOML plan': {
    source: 'a/plan.toml',
    file: 'a/plan.toml',
    text: (id) => `[[tasks]]\nid = ${json(id)}\ntitle = "A"\n`,
  },
  'JSON plan': {
    source: 'a/plan.json',
    file: 'a/plan.json',
    text: (id) => `{"tasks": [\n  {"id": ${json(id)}, "title": "A"}\n]}\n`,
  },
  'standard input': {
    source: '-',
    file: '-',
    text: (id) => `{"tasks": [\n  {"id": ${json(id)}, "title": "A"}\n]}\n`,
  },
  checklist: {
    source: 'a/TODO.md',
    file: 'a/TODO.md',
    text: (id) => `# Tasks\n\n- [ ] A <!-- ${json({ id })} -->\n  Body\n`,
  },
  'Markdown folder': {
    source: 'm',
    file: 'm/one.md',
    text: (id) => `---\nid: ${json(id)}\ntitle: A\n---\n\nBody\n`,
  },
  'export of Beads': {
    source: '.beads',
    file: '.beads/issues.jsonl',
    text: (id) => `${json({ id, title: 'A', status: 'open', issue_type: 'task', priority: 1 })}\n`,
  },
  'graph of Beads': {
    source: 'a/graph.json',
    file: 'a/graph.json',
    text: (id) => `{"nodes": [\n  {"key": ${json(id)}, "title": "A"}\n], "edges": []}\n`,
  },
  'YAML spec of boi': {
    source: 'a/spec.yaml',
    file: 'a/spec.yaml',
    text: (id) =>
      `title: S\ntasks:\n  - id: ${json(id)}\n    title: A\n    status: PENDING\n    spec: Do it\n    verify: "true"\n`,
  },
  'TOML spec of boi': {
    source: 'a/spec.toml',
    file: 'a/spec.toml',
    text: (id) =>
      `title = "S"\n\n[[tasks]]\nref = ${json(id)}\nbehavior = "A"\nverifications = [{ command = "true" }]\n`,
  },
  'JSON ticket of oompa': {
    source: 't',
    file: 't/pending/one.json',
    text: (id) => `{\n  "id": ${json(id)},\n  "summary": "A"\n}\n`,
  },
  'EDN ticket of oompa': {
    source: 'e',
    file: 'e/pending/one.edn',
    text: (id) => `{:id ${json(id)}\n :summary "A"}\n`,
  },
  'CSV of Jira': {
    source: 'jira:a/export.csv',
    file: 'a/export.csv',
    text: (id) => `Issue key,Summary,Status\n"${id.replaceAll('"', '""')}",A,Open\n`,
  },
  'JSON of Linear': {
    source: 'linear:a/linear.json',
    file: 'a/linear.json',
    text: (id) => `[\n  {"ID": ${json(id)}, "Title": "A", "Status": "Todo"}\n]\n`,
  },
};
const all = Object.entries(samples).map(([name, sample]) => [name, sample] as const);

/** Imports the sources into an empty store. */
async function imported(texts: readonly (readonly [Sample, string | Buffer])[]) {
  let input = '';
  for (const [{ file }, text] of texts) {
    if (file === '-') input = text.toString();
    else {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), text);
    }
  }
  const store = new MemoryStore();
  const around = { cwd, readStdin: async () => input };
  const named = texts.map(([{ source }]) => source);
  const read = await readSources({ root: cwd, env: {}, childEnv: {} } as never, named, around);
  const clock = { now: () => 1 };
  const stored = read.ok ? await importTasks({ store, clock, env: {} } as never, read.value) : read;
  const ids = await store.ids('tasks');
  const failures: readonly Failure[] = stored.ok ? [] : stored.failure;
  return { ids: ids.ok ? ids.value : [], failures };
}

/** Nothing is stored, and each failure is a sentence with its place. */
function expectSentences({ ids, failures }: Awaited<ReturnType<typeof imported>>): void {
  expect(ids).toEqual([]);
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) {
    expect(failure.kind).toBe('source-invalid');
    if (failure.kind !== 'source-invalid') continue;
    expect(failure.file).not.toBe('');
    expect(failure.problem).not.toBe('');
    expect(failure.remedy).toMatch(/[.)?`]$/);
  }
}

describe.each(all)('a %s', (_, sample) => {
  it('is read if it is sound', async () => {
    const { ids, failures } = await imported([[sample, sample.text('one')]]);
    expect(failures).toEqual([]);
    expect(ids).toHaveLength(1);
  });

  it('that is cut off anywhere gives all of its tasks or none', async () => {
    const text = sample.text('one');
    const step = Math.max(1, Math.floor(text.length / 24));
    for (let end = 0; end < text.length; end += step) {
      const outcome = await imported([[sample, text.slice(0, end)]]);
      if (outcome.failures.length > 0) expectSentences(outcome);
      else expect(outcome.ids.length).toBeLessThanOrEqual(1);
    }
  });

  it.each([
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x0a])],
    ['another format', '<?xml version="1.0"?>\n<tasks/>\n'],
    ['brackets without an end', '[{"a": [[[[[{:x #{('],
    ['a number', '42\n'],
  ])('with %s is refused', async (__, text) => {
    const outcome = await imported([[sample, text]]);
    // A Markdown file or a checklist may say anything.
    if (outcome.failures.length > 0) expectSentences(outcome);
    else expect(sample.file).toMatch(/\.md$/);
  });

  it.each([
    '../../etc/passwd',
    'a b',
    '😀',
    'x'.repeat(300),
    '$(rm -rf .)',
    '`id`; #',
    'a..b',
    '-rf',
  ])('with the id %j gives a usable one, or a sentence', async (id) => {
    const outcome = await imported([[sample, sample.text(id)]]);
    if (outcome.failures.length > 0) expectSentences(outcome);
    else expect(outcome.ids.filter(isTaskId)).toHaveLength(1);
  });

  it('with an id that another source has too is refused together with it', async () => {
    const { ids: alone } = await imported([[sample, sample.text('one')]]);
    const [id = ''] = alone;
    const other = { ...(samples['TOML plan'] as Sample), source: 'b.toml', file: 'b.toml' };
    for (const same of [id, id.toUpperCase()]) {
      const outcome = await imported([
        [sample, sample.text('one')],
        [other, other.text(same)],
      ]);
      expect(outcome.ids).toEqual([]);
      const places = sample.source === '-' ? ['b.toml'] : [sample.source, 'b.toml'];
      const [kind, times] = ['duplicate-task', 2];
      expect(outcome.failures).toEqual([{ kind, task: id, times, sources: places }]);
    }
  });
});
