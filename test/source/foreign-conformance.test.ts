import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify as toToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { stringify as toYaml } from 'yaml';
import { defined } from '../../src/model/defined.ts';
import { parseDuration } from '../../src/model/duration.ts';
import type { Task, TaskId } from '../../src/model/task.ts';
import { openSource } from '../../src/source/open.ts';
import type { TaskSource } from '../../src/source/plan-file.ts';
import { type Losses, type SourceKit, sourceConformance } from '../conformance/source.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { root } from '../tidy/files.ts';

const dir = tempFolder();

let made = 0;

/** A source of files, by their paths below a fresh folder. `path` is what a user types. */
function put(path: string, files: Readonly<Record<string, string>>): TaskSource {
  made += 1;
  const folder = join(dir, `s${made}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const source = need(openSource(path, { cwd: folder, readStdin: async () => files[path] ?? '' }));
  return source;
}

const same = (id: TaskId): TaskId => id;
const minutes = (duration: string): number => (parseDuration(duration) ?? 0) / 60_000;
const several = <T>(count: number, item: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => item(at));
const bullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

function issueOf(task: Task): object {
  const link = (on: TaskId, type: string) => ({
    issue_id: task.id,
    depends_on_id: on,
    type,
    created_at: '2026-01-01T00:00:00Z',
  });
  return {
    _type: 'issue',
    id: task.id,
    title: task.title,
    description: task.body === '' ? undefined : task.body,
    acceptance_criteria: task.acceptance.length === 0 ? undefined : bullets(task.acceptance),
    status: 'open',
    priority: task.priority,
    issue_type: task.type,
    estimated_minutes: task.estimate === undefined ? undefined : minutes(task.estimate),
    external_ref: task.link,
    labels: task.labels.length === 0 ? undefined : task.labels,
    dependencies: [
      ...task.after.map((on) => link(on, 'blocks')),
      ...(task.parent === undefined ? [] : [link(task.parent, 'parent-child')]),
    ],
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    dependency_count: task.after.length,
  };
}

const jsonLines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

function beadsKit(path: string, file: string): SourceKit {
  const open = (records: readonly object[]) => put(path, { [file]: jsonLines(records) });
  return {
    holding: async (tasks) => open(tasks.map(issueOf)),
    broken: async (count) =>
      open([
        { id: 'good', title: 'Good', status: 'open', priority: 2, issue_type: 'task' },
        ...several(count, (at) => ({ id: `bad-${at}`, status: 'open', priority: 2 })),
      ]),
    losses: {
      paths: 'all',
      scope: 'all',
      checks: 'all',
      agent: 'all',
      difficulty: 'all',
      wait: 'all',
    },
    idOf: same,
  };
}

const graphKit: SourceKit = {
  holding: async (tasks) =>
    put('plan.json', {
      'plan.json': JSON.stringify({
        commit_message: 'Plan',
        nodes: tasks.map((task) =>
          defined({
            key: task.id,
            title: task.title,
            type: task.type,
            description: task.body,
            priority: task.priority,
            labels: task.labels,
            parent_key: task.parent,
          }),
        ),
        edges: tasks.flatMap(({ id, after }) =>
          after.map((on) => ({ from_key: id, to_key: on, type: 'blocks' })),
        ),
      }),
    }),
  broken: async (count) =>
    put('plan.json', {
      'plan.json': JSON.stringify({
        nodes: [{ key: 'good', title: 'Good' }, ...several(count, (at) => ({ key: `bad${at}` }))],
      }),
    }),
  losses: {
    paths: 'all',
    scope: 'all',
    checks: 'all',
    acceptance: 'all',
    agent: 'all',
    difficulty: 'all',
    estimate: 'all',
    link: 'all',
    wait: 'all',
  },
  idOf: same,
};

const specLosses: Losses = {
  priority: 'all',
  type: 'all',
  labels: 'all',
  paths: 'all',
  scope: 'all',
  agent: 'all',
  parent: 'all',
  difficulty: 'all',
  estimate: 'all',
  link: 'all',
  wait: 'all',
};

const inSpec = (id: TaskId): TaskId => `add-search.${id}`;

const oldSpecKit: SourceKit = {
  holding: async (tasks) =>
    put('spec.yaml', {
      'spec.yaml': toYaml({
        title: 'Add search',
        mode: 'execute',
        tasks: tasks.map((task) => ({
          id: task.id,
          title: task.title,
          status: 'PENDING',
          ...(task.after.length === 0 ? {} : { depends: task.after }),
          ...(task.body === '' ? {} : { spec: `${task.body}\n` }),
          verify: task.checks[0],
          verify_prompt: task.acceptance[0],
        })),
      }),
    }),
  broken: async (count) =>
    put('spec.yaml', {
      'spec.yaml': toYaml({
        title: 'Add search',
        tasks: [
          { id: 't-0', title: 'Good' },
          ...several(count, (at) => ({ id: `bad-${at}`, status: 'PENDING' })),
        ],
      }),
    }),
  losses: { ...specLosses, checks: 'rest', acceptance: 'rest' },
  idOf: inSpec,
};

const newSpecKit: SourceKit = {
  holding: async (tasks) =>
    put('spec.toml', {
      'spec.toml': toToml({
        title: 'Add search',
        contract: { base_branch: 'main', workspace: '~/code/shop' },
        tasks: tasks.map((task) => ({
          ref: task.id,
          behavior: `${task.title}\n\n${task.body}`,
          blocked_by: task.after,
          verifications: [
            ...task.checks.map((command) => ({ name: 'check', command })),
            ...task.acceptance.map((intent) => ({ intent })),
          ],
        })),
      }),
    }),
  broken: async (count) =>
    put('spec.toml', {
      'spec.toml': toToml({
        title: 'Add search',
        contract: { base_branch: 'main' },
        tasks: [
          { behavior: 'Good', verifications: [{ command: 'true' }] },
          ...several(count, (at) => ({
            behavior: `Bad ${at}`,
            verifications: [{ command: 'true', intent: 'It works' }],
          })),
        ],
      }),
    }),
  losses: specLosses,
  idOf: inSpec,
};

/** Writes data as EDN, keys and difficulties as keywords. */
function toEdn(value: unknown, key = ''): string {
  if (Array.isArray(value)) return `[${value.map((item) => toEdn(item)).join(' ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([name, inner]) => `:${name} ${toEdn(inner, name)}`);
    return `{${pairs.join('\n ')}}`;
  }
  return key === 'difficulty' ? `:${String(value)}` : JSON.stringify(value);
}

function ticketKit(extension: string, write: (ticket: object) => string): SourceKit {
  const ticketOf = (task: Task): object =>
    defined({
      id: task.id,
      summary: task.title,
      description: task.body,
      difficulty: task.difficulty,
      files: task.paths,
      acceptance: task.acceptance,
      priority: task.priority,
    });
  const open = (tickets: readonly object[]): TaskSource =>
    put('tasks', {
      'tasks/complete/old.json': 'not even JSON',
      ...Object.fromEntries(
        tickets.map((ticket, at) => [
          `tasks/${at % 2 === 0 ? 'pending' : 'current'}/${at}.${extension}`,
          write(ticket),
        ]),
      ),
    });
  return {
    holding: async (tasks) => open(tasks.map(ticketOf)),
    broken: async (count) =>
      open([{ summary: 'Good' }, ...several(count, (at) => ({ id: `bad${at}` }))]),
    losses: {
      after: 'all',
      type: 'all',
      labels: 'all',
      scope: 'all',
      checks: 'all',
      agent: 'all',
      parent: 'all',
      estimate: 'all',
      link: 'all',
      wait: 'all',
    },
    idOf: same,
  };
}

const kits: Readonly<Record<string, SourceKit>> = {
  Beads: beadsKit('.beads', '.beads/issues.jsonl'),
  graph: graphKit,
  'boi YAML': oldSpecKit,
  'boi TOML': newSpecKit,
  oompa: ticketKit('json', (ticket) => JSON.stringify(ticket, undefined, 2)),
};

for (const [name, kit] of Object.entries(kits)) sourceConformance(name, kit);
sourceConformance('a .jsonl file of Beads', beadsKit('export.jsonl', 'export.jsonl'));
sourceConformance('an export of Beads on standard input', beadsKit('-', '-'));
sourceConformance('EDN tickets of oompa', ticketKit('edn', toEdn));

describe('the table of docs/task-sources.md', () => {
  const lines = readFileSync(join(root, 'docs/task-sources.md'), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith('| task | Beads |'));
  const cells = (line: string): string[] =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
  const [, ...columns] = cells(lines[start] ?? '');
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'));
  const rows = lines.slice(start + 2, end).map(cells);

  it('has a column for every format', () => {
    expect(columns).toEqual(Object.keys(kits));
  });

  it.each(Object.entries(kits))('says what %s cannot carry, and nothing else', (name, kit) => {
    const at = columns.indexOf(name) + 1;
    const none = rows
      .filter((row) => row[at] === '–')
      .flatMap(([key = '']) => key.replaceAll('`', ''));
    const lost = Object.entries(kit.losses).filter(([, loss]) => loss === 'all');
    expect(none.toSorted()).toEqual(lost.map(([field]) => field).toSorted());
    const one = rows
      .filter((row) => row[at]?.endsWith('(one)'))
      .flatMap(([key = '']) => key.replaceAll('`', ''));
    const cut = Object.entries(kit.losses).filter(([, loss]) => loss === 'rest');
    expect(one.toSorted()).toEqual(cut.map(([field]) => field).toSorted());
  });
});
