// Compares the tables and examples of the documents with the code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../src/cli/commands/shared.ts';
import { commands } from '../src/cli/commands.ts';
import { loadConfig } from '../src/config/config.ts';
import { settableKeys } from '../src/config/keys.ts';
import { agentNames, profileKeys } from '../src/config/profile.ts';
import { readEdn } from '../src/document/edn.ts';
import { stopReasons } from '../src/model/run.ts';
import { readBeads } from '../src/source/beads.ts';
import { importedId } from '../src/source/foreign-task.ts';
import { readMarkdown } from '../src/source/markdown.ts';
import { type PlanFormat, readPlan } from '../src/source/plan-file.ts';
import { taskKeys } from '../src/source/schema.ts';
import { root } from './tidy/files.ts';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Rows of the table under a header, as cells. */
function table(path: string, header: string): string[][] {
  const lines = text(path).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${header} |`));
  expect(start, `${path} has a table with "${header}"`).toBeGreaterThan(-1);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end === -1 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
  );
}

/** Content of a fenced block of a language, by default of the first. */
function block(path: string, language: string, at = 0): string {
  const pattern = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms');
  const found = [...text(path).matchAll(pattern)][at];
  return found?.[1] ?? expect.fail(`${path} has no block of ${language}`);
}

describe('docs/commands.md', () => {
  const path = 'docs/commands.md';

  it('lists exactly the commands of the program, with the text of their help', () => {
    const rows = table(path, 'command | does');
    expect(rows).toEqual(commands.map(({ name, line }) => [name, line]));
  });

  it('lists exactly the exit statuses of the program', () => {
    const rows = table(path, 'exit status | meaning');
    expect(rows).toEqual(exitCodes.map(([code, meaning]) => [String(code), meaning]));
  });
});

describe('README', () => {
  it('names only commands that exist', () => {
    const named = [...text('README.md').matchAll(/\bym ([a-z]+)/g)].map(([, name]) => name);
    const known = commands.map(({ name }) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(known).toEqual(expect.arrayContaining(named));
  });

  it('shows a config that is accepted', () => {
    expect(configIn('README.md')).toMatchObject({ ok: true, value: { agent: 'claude' } });
  });
});

/** Loads the first YAML block of a document as a project config. */
function configIn(path: string) {
  const yaml = block(path, 'yaml');
  const readFile = (file: string): string | undefined =>
    file.endsWith('yardmaster.yaml') ? yaml : undefined;
  return loadConfig({ root: '/p', env: {}, flags: {}, readFile });
}

describe('docs/configuration.md', () => {
  const path = 'docs/configuration.md';

  it('lists exactly the config keys, with their defaults and descriptions', () => {
    const plain = (cell = ''): string => cell.replaceAll('`', '');
    const rows = table(path, 'key | default | meaning').map((cells) => cells.map(plain));
    expect(rows).toEqual(
      settableKeys.map(({ key, default: value, doc }) => [key, value, doc].map(plain)),
    );
  });

  it('lists exactly the keys of a profile, with the kinds that have them', () => {
    const kinds = [...agentNames, 'acp', 'command', 'scripted', 'http'];
    const rows = table(path, 'key of a profile | for | default | meaning');
    const kindsIn = (cell: string): readonly string[] =>
      cell === 'all'
        ? kinds
        : cell.split(', ').flatMap((kind) => (kind === 'coding agents' ? agentNames : kind));
    const listed = rows.map(([key, cell = '']) => [key, kindsIn(cell)]);
    const known = profileKeys(undefined).map((key) => [
      key,
      kinds.filter((kind) => profileKeys(kind).includes(key)),
    ]);
    expect(listed.toSorted()).toEqual(known.toSorted());
  });

  it('shows a config that is accepted', () => {
    expect(configIn(path)).toMatchObject({ ok: true, value: { agent: 'claude' } });
  });
});

describe('docs/security.md', () => {
  it('lists the permissions of every kind of agent', () => {
    const header = 'agent | without a sandbox | in the sandbox, or `sandbox: none`';
    const kinds = table('docs/security.md', header).map(([kind]) => kind);
    expect(kinds.join(', ').split(', ')).toEqual([...agentNames, 'acp', 'command', 'scripted']);
  });
});

describe('docs/task-sources.md', () => {
  const path = 'docs/task-sources.md';

  it('shows an export of Beads that is accepted', () => {
    const read = readBeads(block(path, 'jsonl'));
    expect(read.ok && read.value.tasks).toMatchObject([
      { id: 'shop-1', type: 'epic' },
      { id: 'shop-1.1', parent: 'shop-1', estimate: '1h30m', acceptance: { length: 2 } },
      { id: 'shop-1.2', after: ['shop-1.1'], link: 'https://example.org/issues/7' },
    ]);
  });

  it.each<[PlanFormat, string[]]>([
    ['json', ['search', 'index', 'page']],
    ['yaml', ['add-search.t-2']],
    ['toml', ['add-search.index', 'add-search.page']],
  ])('shows %s of another tool that is accepted', (format, ids) => {
    const read = readPlan(`plan.${format}`, block(path, format), format);
    expect(read.ok && read.value.tasks.map(({ id }) => id)).toEqual(ids);
  });

  it('shows the same ticket as JSON and as EDN', () => {
    const ticket = readEdn(block(path, 'clojure'));
    expect(ticket.ok && ticket.value.value).toEqual(JSON.parse(block(path, 'json', 1)));
  });

  it('shows the id that an id with other characters becomes', () => {
    const [, from = '', to] = /`([^`]+)` is the task `([^`]+)`/.exec(text(path)) ?? [];
    expect(importedId(from)).toBe(to);
  });
});

describe('docs/plan-files.md', () => {
  it.each<PlanFormat>(['yaml', 'toml', 'json'])('shows a plan in %s that is accepted', (format) => {
    const plan = readPlan(`plan.${format}`, block('docs/plan-files.md', format), format);
    expect(plan.ok && plan.value.tasks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['schema', 'endpoint']),
    );
  });

  it('shows a Markdown task that is accepted', () => {
    const task = readMarkdown('tasks/endpoint.md', block('docs/plan-files.md', 'markdown'));
    expect(task).toMatchObject({ ok: true, value: { id: 'endpoint', after: ['schema'] } });
  });

  it('lists exactly the keys of a task', () => {
    const keys = table('docs/plan-files.md', 'key | default | rules').map(([key]) => key);
    expect(keys.toSorted()).toEqual([...taskKeys].sort());
  });
});

describe('ARCHITECTURE.md', () => {
  it('lists exactly the folders of the source', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${name}/`);
    const named = table('ARCHITECTURE.md', 'folder | holds').map(([folder]) => folder);
    expect(named.toSorted()).toEqual(folders.sort());
  });
});

describe('docs/watching.md, states and reasons', () => {
  it('explains every state of a task', () => {
    const states = table('docs/watching.md', 'state | means | moves on when').map(
      ([state]) => state,
    );
    const source = text('src/model/task-record.ts');
    const [, union = ''] = /export type TaskState =([^;]*);/.exec(source) ?? [];
    const known = [...union.matchAll(/'(\w+)'/g)].map(([, state]) => state);
    expect(known.length).toBeGreaterThan(10);
    expect(states.toSorted()).toEqual(known.toSorted());
  });

  it('explains every reason a run stops', () => {
    const reasons = table('docs/watching.md', 'reason | the run ended because').map(([one]) => one);
    expect(reasons).toEqual([...stopReasons]);
  });
});
