// The documents say what the program does: their tables and examples are held to the code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands, exitCodes } from '../src/cli/commands.ts';
import { loadConfig } from '../src/config/config.ts';
import { harnessNames, settableKeys } from '../src/config/keys.ts';
import { profileKeys } from '../src/config/profile.ts';
import { stopReasons } from '../src/model/run.ts';
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

/** What is inside the first fenced block of a language. */
function block(path: string, language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(text(path));
  return found?.[1] ?? expect.fail(`${path} has no block of ${language}`);
}

describe('README', () => {
  it('lists every command with the words of the command table', () => {
    const rows = text('README.md').split('\n');
    for (const { name, line } of commands) expect(rows).toContain(`| \`${name}\` | ${line} |`);
  });

  it('lists every exit status, and none beside', () => {
    const rows = table('README.md', 'exit status | meaning');
    expect(rows).toEqual(exitCodes.map(([code, meaning]) => [String(code), meaning]));
  });

  it('shows a config that is accepted', () => {
    expect(configIn('README.md')).toMatchObject({ ok: true, value: { agent: 'claude' } });
  });
});

/** The first config that a document shows, as a run would read it. */
function configIn(path: string) {
  const yaml = block(path, 'yaml');
  const readFile = (file: string): string | undefined =>
    file.endsWith('yardmaster.yaml') ? yaml : undefined;
  return loadConfig({ root: '/p', env: {}, flags: {}, readFile });
}

describe('docs/configuration.md', () => {
  const path = 'docs/configuration.md';

  it('lists every config key with its default and its line, and none beside', () => {
    const plain = (cell = ''): string => cell.replaceAll('`', '');
    const rows = table(path, 'key | default | meaning').map((cells) => cells.map(plain));
    expect(rows).toEqual(settableKeys.map(({ key, default: value, doc }) => [key, value, doc]));
  });

  it('lists every key of a profile, with the kinds that have it, and none beside', () => {
    const kinds = ['claude', 'codex', 'opencode', 'gemini', 'acp', 'command', 'scripted'];
    const rows = table(path, 'key of a profile | for | default | meaning');
    const said = rows.map(([key, kind = '']) => [key, kind === 'all' ? kinds : kind.split(', ')]);
    const known = profileKeys(undefined).map((key) => [
      key,
      kinds.filter((kind) => profileKeys(kind).includes(key)),
    ]);
    expect(said.toSorted()).toEqual(known.toSorted());
  });

  it('shows a config that is accepted', () => {
    expect(configIn(path)).toMatchObject({ ok: true, value: { agent: 'claude' } });
  });

  it('says of each kind of agent what it may do', () => {
    const rows = table(path, 'agent | `sandbox: auto` | `sandbox: none`').map(([kind]) => kind);
    expect(rows.join(', ').split(', ')).toEqual([...harnessNames, 'acp', 'command', 'scripted']);
  });
});

describe('docs/plan-files.md', () => {
  it.each<PlanFormat>(['yaml', 'toml', 'json'])('shows a plan in %s that is accepted', (format) => {
    const plan = readPlan(`plan.${format}`, block('docs/plan-files.md', format), format);
    expect(plan.ok && plan.value.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['schema', 'endpoint']),
    );
  });

  it('shows a Markdown task that is accepted', () => {
    const task = readMarkdown('tasks/endpoint.md', block('docs/plan-files.md', 'markdown'));
    expect(task).toMatchObject({ ok: true, value: { id: 'endpoint', after: ['schema'] } });
  });

  it('lists every key of a task, and none beside', () => {
    const keys = table('docs/plan-files.md', 'key | default | rules').map(([key]) => key);
    expect(keys.toSorted()).toEqual([...taskKeys].sort());
  });
});

describe('the code map', () => {
  it('names every folder of the source, and none beside', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${name}/`);
    const named = table('ARCHITECTURE.md', 'folder | holds').map(([folder]) => folder);
    expect(named.toSorted()).toEqual(folders.sort());
  });
});

describe('GLOSSARY.md', () => {
  it('explains every state that a task can be in', () => {
    const states = table('GLOSSARY.md', 'state | means | moves on when').map(([state]) => state);
    const source = text('src/plan/record.ts');
    const [, union = ''] = /export type TaskState =([^;]*);/.exec(source) ?? [];
    const known = [...union.matchAll(/'(\w+)'/g)].map(([, state]) => state);
    expect(known.length).toBeGreaterThan(10);
    expect(states.toSorted()).toEqual(known.toSorted());
  });

  it('explains every reason for which a run stops', () => {
    const reasons = table('GLOSSARY.md', 'reason | the run ended because').map(([one]) => one);
    expect(reasons).toEqual([...stopReasons]);
  });
});
