import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify as toToml } from 'smol-toml';
import { afterAll } from 'vitest';
import { stringify as toYaml } from 'yaml';
import type { Failure } from '../../src/model/failure.ts';
import type { Task } from '../../src/model/task.ts';
import { openSource } from '../../src/source/open.ts';
import type { TaskSource } from '../../src/source/plan-file.ts';
import { plainTask, type SourceKit, sourceConformance } from '../conformance/source.ts';
import { memorySource } from '../memory/source.ts';

const dir = mkdtempSync(join(tmpdir(), 'ym-source-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let made = 0;
const fresh = (): string => {
  made += 1;
  return join(dir, `s${made}`);
};

function opened(path: string, stdin = ''): TaskSource {
  const source = openSource(path, { cwd: dir, readStdin: async () => stdin });
  if (!source.ok) throw new Error(JSON.stringify(source.failure));
  return source.value;
}

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
    holding: async (tasks) => put(write({ tasks })),
    broken: async (count) => put(write(brokenPlan(count))),
  };
}

function stdinKit(write: (plan: object) => string): SourceKit {
  return {
    holding: async (tasks) => opened('-', write({ tasks })),
    broken: async (count) => opened('-', write(brokenPlan(count))),
  };
}

const toJson = (plan: object): string => JSON.stringify(plan, undefined, 2);

function markdownOf({ title, body, ...front }: Task): string {
  return `---\n${toYaml(front)}---\n\n# ${title}\n\n${body}\n`;
}

const markdownKit: SourceKit = {
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

sourceConformance('a YAML plan file', planKit('yaml', toYaml));
sourceConformance('a .yml plan file', planKit('yml', toYaml));
sourceConformance('a JSON plan file', planKit('json', toJson));
sourceConformance('a TOML plan file', planKit('toml', toToml));
sourceConformance('YAML on standard input', stdinKit(toYaml));
sourceConformance('JSON on standard input', stdinKit(toJson));
sourceConformance('a folder of Markdown files', markdownKit);
sourceConformance('a Markdown checklist', checklistKit);
sourceConformance('the source in memory', memoryKit);
