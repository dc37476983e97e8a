import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify as toToml } from 'smol-toml';
import { stringify as toYaml } from 'yaml';
import type { Failure } from '../../src/model/failure.ts';
import type { Task, TaskId } from '../../src/model/task.ts';
import { openAddress } from '../../src/source/address.ts';
import { mappedKeys } from '../../src/source/mapping.ts';
import { openSource } from '../../src/source/open.ts';
import type { TaskSource } from '../../src/source/plan-file.ts';
import { plainTask, type SourceKit, sourceConformance } from '../conformance/source.ts';
import { memorySource } from '../memory/source.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { type StandInIssue, standInTracker } from './stand-in-tracker.ts';

const dir = tempFolder();

let made = 0;
const fresh = (): string => {
  made += 1;
  return join(dir, `s${made}`);
};

function opened(path: string, stdin = ''): TaskSource {
  const source = need(openSource(path, { cwd: dir, readStdin: async () => stdin }));
  return source;
}

/** Formats of our own carry everything. */
const whole = { losses: {}, idOf: (id: TaskId) => id };

/** Plan data with one good task and some that each lack a title. */
const brokenPlan = (count: number): object => ({
  tasks: [{ title: 'Good' }, ...Array.from({ length: count }, (_, at) => ({ id: `bad${at}` }))],
});

function planKit(extension: string, write: (plan: object) => string): SourceKit {
  const put = (text: string): TaskSource => {
    const file = `${fresh()}.${extension}`;
    writeFileSync(file, text);
    return opened(file);
  };
  return {
    ...whole,
    holding: async (tasks) => put(write({ tasks })),
    broken: async (count) => put(write(brokenPlan(count))),
  };
}

function stdinKit(write: (plan: object) => string): SourceKit {
  return {
    ...whole,
    holding: async (tasks) => opened('-', write({ tasks })),
    broken: async (count) => opened('-', write(brokenPlan(count))),
  };
}

const toJson = (plan: object): string => JSON.stringify(plan, undefined, 2);

function markdownOf({ title, body, ...front }: Task): string {
  return `---\n${toYaml(front)}---\n\n# ${title}\n\n${body}\n`;
}

const markdownKit: SourceKit = {
  ...whole,
  async holding(tasks) {
    const folder = fresh();
    mkdirSync(folder);
    for (const [at, task] of tasks.entries()) {
      writeFileSync(join(folder, `${at}.md`), markdownOf(task));
    }
    return opened(folder);
  },
  async broken(count) {
    const folder = fresh();
    mkdirSync(folder);
    writeFileSync(join(folder, 'good.md'), '# Good\n');
    for (let at = 0; at < count; at += 1)
      writeFileSync(join(folder, `bad${at}.md`), 'No heading.\n');
    return opened(folder);
  },
};

/** A box with all keys in a comment, and the body indented below it. */
function itemOf({ title, body, ...keys }: Task): string {
  const lines = body.split('\n').map((line) => `  ${line}`.trimEnd());
  return `- [ ] ${title} <!-- ${JSON.stringify(keys)} -->\n${lines.join('\n')}\n`;
}

const checklistKit: SourceKit = {
  ...whole,
  async holding(tasks) {
    const file = `${fresh()}.md`;
    writeFileSync(file, `# Tasks\n\n${tasks.map(itemOf).join('')}`);
    return opened(file);
  },
  async broken(count) {
    const file = `${fresh()}.md`;
    writeFileSync(file, `- [ ] Good\n${'- [ ]\n'.repeat(count)}`);
    return opened(file);
  },
};

const memoryKit: SourceKit = {
  ...whole,
  holding: async (tasks) => memorySource('memory', tasks),
  async broken(count) {
    const failure: Failure = {
      kind: 'source-invalid',
      file: 'memory',
      problem: 'it is broken',
      remedy: 'Fix it.',
    };
    return memorySource('memory', [plainTask], Array<Failure>(count).fill(failure));
  },
};

function openedAt(address: string, env: Readonly<Record<string, string>> = {}): TaskSource {
  const places = { cwd: dir, readStdin: async () => '', env, mappings: exportMappings };
  const source = need(openAddress(address, places));
  return source;
}

const priorityLabels = ['P0', 'P1', 'P2', 'P3', 'P4'];

/** Trackers number their issues, so a task is known by its place in the suite's list of ids. */
function trackerKit(address: string, program: 'gh' | 'glab'): SourceKit {
  const ids = ['whole.task_2-b', 'plain', 'a', 'b', 'c', 'd'];
  const numberOf = (id: string): number => ids.indexOf(id) + 1;
  const site = program === 'gh' ? 'gh' : 'gl';
  const holding = (issues: readonly StandInIssue[]): TaskSource => {
    const standIn = standInTracker(fresh(), program);
    standIn.hold(issues);
    return openedAt(address, standIn.env);
  };
  return {
    losses: {
      acceptance: 'all',
      agent: 'all',
      checks: 'all',
      difficulty: 'all',
      estimate: 'all',
      link: 'all',
      parent: 'all',
      paths: 'all',
      scope: 'all',
      wait: 'all',
    },
    idOf: (id) => `${site}-${numberOf(id)}`,
    holding: async (tasks) =>
      withoutLinks(
        holding(
          tasks.map(({ id, title, body, after, priority, type, labels }) => ({
            number: numberOf(id),
            title,
            body,
            blockedBy: after.map(numberOf),
            labels: [
              ...labels,
              priorityLabels[priority] ?? '',
              ...(type === 'feature' ? ['enhancement'] : []),
            ],
          })),
        ),
      ),
    broken: async (count) =>
      holding([
        { number: 1, title: 'Good' },
        ...Array.from({ length: count }, (_, at) => ({ number: at + 2, title: '' })),
      ]),
  };
}

/** A tracker gives every task the URL of its issue, which the suite's tasks do not have; others check the URL. */
function withoutLinks(source: TaskSource): TaskSource {
  return {
    ...source,
    async list() {
      const listed = await source.list();
      if (!listed.ok) return listed;
      const tasks = listed.value.map(({ link, ...task }) => {
        if (link === undefined) throw new Error(`${task.id} has no link`);
        return task;
      });
      return { ok: true, value: tasks };
    },
  };
}

const columns = [...mappedKeys].filter((key) => key !== 'parent');

const exportMappings = {
  mine: {
    fields: Object.fromEntries(columns.map((key) => [key, [`The ${key}?`]])),
    priorities: { Top: 0, Usual: 2 } as const,
    types: {},
    done: ['Done'],
    idPrefix: '',
  },
};

const priorityNames: Readonly<Record<number, string>> = { 0: 'Top', 2: 'Usual' };

/** The cells of a row, by column. */
function cellsOf(task: Partial<Task>): Readonly<Record<string, string>> {
  const text = (key: string, value: unknown): string => {
    if (key === 'priority') return priorityNames[Number(value)] ?? '';
    if (Array.isArray(value)) return value.join(/checks|acceptance/.test(key) ? '\n' : ', ');
    return value === undefined ? '' : String(value);
  };
  const values: Readonly<Record<string, unknown>> = task;
  return Object.fromEntries(columns.map((key) => [`The ${key}`, text(key, values[key])]));
}

function exportKit(
  ending: string,
  write: (rows: readonly Readonly<Record<string, string>>[]) => string,
): SourceKit {
  const put = (tasks: readonly Partial<Task>[]): TaskSource => {
    const file = `${fresh()}.${ending}`;
    writeFileSync(file, write(tasks.map(cellsOf)));
    return openedAt(`mine:${file}`);
  };
  return {
    // A task with members becomes an epic, which the suite's parent is not.
    losses: { parent: 'all', wait: 'all' },
    idOf: (id) => id,
    holding: async (tasks) => put(tasks),
    broken: async (count) =>
      put([plainTask, ...Array.from({ length: count }, (_, at) => ({ id: `bad${at}` }))]),
  };
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

function toCsv(rows: readonly Readonly<Record<string, string>>[]): string {
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return `\uFEFF${lines.map((cells) => cells.map(quoted).join(';')).join('\r\n')}\r\n`;
}

sourceConformance('a YAML plan file', planKit('yaml', toYaml));
sourceConformance('a .yml plan file', planKit('yml', toYaml));
sourceConformance('a JSON plan file', planKit('json', toJson));
sourceConformance('a TOML plan file', planKit('toml', toToml));
sourceConformance('YAML on standard input', stdinKit(toYaml));
sourceConformance('JSON on standard input', stdinKit(toJson));
sourceConformance('a folder of Markdown files', markdownKit);
sourceConformance('a Markdown checklist', checklistKit);
sourceConformance('the source in memory', memoryKit);
sourceConformance('issues of GitHub', trackerKit('github:owner/name', 'gh'));
sourceConformance('issues of GitLab', trackerKit('gitlab:owner/name', 'glab'));
sourceConformance('a mapped CSV file', exportKit('csv', toCsv));
sourceConformance('a mapped JSON file', exportKit('json', toJson));
