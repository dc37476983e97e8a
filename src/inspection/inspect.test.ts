import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { limits } from '../model/limits.ts';
import { Trouble } from '../model/trouble.ts';
import type { Change } from '../port/git.ts';
import type { Rules } from './changed.ts';
import { type InspectionInput, inspect } from './inspect.ts';

type Tree = Readonly<Record<string, string>>;

/** A reader of commits that are written down; a text is the id of its blob. */
function reader(commits: Readonly<Record<string, Tree>>) {
  const read: string[] = [];
  const tree = (commit: string): Tree => commits[commit] ?? {};
  const entry = (text: string | undefined) =>
    text === undefined
      ? undefined
      : { id: text, mode: text.startsWith('sub:') ? '160000' : '100644' };
  return {
    read,
    changes: async (from: string, to: string) => {
      const paths = [...new Set([...Object.keys(tree(from)), ...Object.keys(tree(to))])].sort();
      return paths.flatMap((path): Change[] => {
        const [before, after] = [entry(tree(from)[path]), entry(tree(to)[path])];
        if (before?.id === after?.id) return [];
        return [{ path, ...(before && { before }), ...(after && { after }) }];
      });
    },
    blob: async (id: string) => {
      read.push(id);
      return id.length > limits.blobBytes ? undefined : Buffer.from(id);
    },
    file: async (commit: string, path: string) => tree(commit)[path],
  };
}

const rules: Rules = { protect: [], gate: ['npm test'], tests: 'guard' };
const task = { paths: [], scope: 'predicted' } as const;

async function inspected(git: ReturnType<typeof reader>, more: Partial<InspectionInput> = {}) {
  const result = await inspect(git, { base: 'base', commit: 'work', task, rules, ...more });
  return result;
}

const many = (count: number, name: (at: number) => string, text: string): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), `${text} ${at}\n`]));

describe('inspect', () => {
  it('tells what changed, and finds nothing wrong with it', async () => {
    const git = reader({
      base: { a: '1\n', b: '2\n', c: '3\n' },
      work: { a: '1\n', b: 'x\ny\n', d: 'z\n' },
    });
    expect(await inspected(git)).toEqual({
      changes: { files: ['b', 'c', 'd'], count: 3, added: 3, removed: 2 },
      violations: [],
    });
  });

  it('follows the gate through files of the target that did not change', async () => {
    const scripts = JSON.stringify({ scripts: { test: './check.sh' } });
    const base = { 'package.json': scripts, 'check.sh': '. lib/all.sh\n', 'lib/all.sh': 'run\n' };
    const git = reader({ base, work: { ...base, 'lib/all.sh': 'exit 0\n' } });
    expect((await inspected(git)).violations).toEqual([
      { kind: 'gate-changed', file: 'lib/all.sh', what: expect.stringContaining('- run + exit 0') },
    ]);
  });

  it('takes no word of the work about what the gate is', async () => {
    const base = {
      'package.json': JSON.stringify({ scripts: { test: 'node a.js' } }),
      'a.js': '1',
    };
    const work = {
      'package.json': JSON.stringify({ scripts: { test: 'node b.js' } }),
      'a.js': '2',
    };
    const { violations } = await inspected(reader({ base, work }));
    expect(violations.map((violation) => 'file' in violation && violation.file)).toEqual([
      'a.js',
      'package.json',
    ]);
  });

  it('names a repository inside the repository without reading it', async () => {
    const git = reader({ base: {}, work: { lib: 'sub:1' } });
    expect((await inspected(git)).violations).toEqual([{ kind: 'nested-repository', file: 'lib' }]);
    expect(git.read).toEqual([]);
  });

  it('counts no lines of what is no text, and calls a new file that is too large too large', async () => {
    const git = reader({ base: {}, work: { a: 'a\0\n\n\n', b: 'x'.repeat(limits.blobBytes + 1) } });
    expect((await inspected(git)).changes).toMatchObject({ added: 0, removed: 0 });
    expect((await inspected(git)).violations).toEqual([]);
    expect((await inspected(git, { rules: { ...rules, maxLines: 10 } })).violations).toMatchObject([
      { kind: 'too-large', what: 'lines' },
    ]);
  });

  it('reads all tests of a huge change and only so many other files, in no time', async () => {
    const test = "import x from 'x';\nit('holds', () => {\n  expect(x()).toBe(1);\n});\n";
    const tests = many(1_000, (at) => `zz/${at}.test.ts`, test);
    const base = { ...many(5_000, (at) => `src/${at}.ts`, 'const a ='), ...tests };
    const work = {
      ...many(5_000, (at) => `src/${at}.ts`, 'const b ='),
      ...Object.fromEntries(
        Object.entries(tests).map(([path, text]) => [path, `// ${path}\n${text}`]),
      ),
      'zz/999.test.ts': 'nothing',
    };
    const git = reader({ base, work });
    const spentMs = cpuClock();
    const { changes, violations } = await inspected(git);
    expect(spentMs()).toBeLessThan(4_000);
    expect(violations).toEqual([{ kind: 'test-emptied', file: 'zz/999.test.ts' }]);
    expect(changes).toMatchObject({ count: 6_000 });
    expect(changes.files).toHaveLength(limits.changesKept);
    expect(git.read.length).toBeLessThanOrEqual((1_000 + limits.inspectedFiles) * 2);
  });

  it('tells of a change that is larger than what is counted only where a limit is set', async () => {
    const work = many(limits.inspectedFiles + 1, (at) => `src/${at}.ts`, 'a');
    const git = reader({ base: {}, work });
    expect((await inspected(git)).violations).toEqual([]);
    const { violations } = await inspected(git, { rules: { ...rules, maxLines: 100_000 } });
    expect(violations).toEqual([
      { kind: 'too-large', what: 'lines', value: 100_001, limit: 100_000 },
    ]);
  });

  it('looks for lines that a merge dropped, in the file and in all that the work changed', async () => {
    const commits = {
      from: { 'a.ts': 'start\n', 'b.ts': 'start\n' },
      base: { 'a.ts': 'start\ntheir line\n', 'b.ts': 'start\ntheir other\n' },
      work: { 'a.ts': 'start\nour line\n', 'b.ts': 'start\n', 'c.ts': 'their other\n' },
    };
    const merged = { from: 'from', to: 'base', files: ['a.ts', 'b.ts'] };
    const { violations } = await inspected(reader(commits), { merged });
    expect(violations).toEqual([{ kind: 'lines-dropped', file: 'a.ts', lines: ['their line'] }]);
    const named = await inspected(reader(commits), { merged: { ...merged, named: ['a.ts'] } });
    expect(named.violations).toEqual([]);
  });

  it('hands on what went wrong with git, wherever it did', async () => {
    const failure = { kind: 'git-failed', args: [], exit: 1, stderr: 'gone' } as const;
    const git = reader({ base: { a: '1' }, work: { a: '2' } });
    const broken = async () => {
      throw new Trouble(failure);
    };
    const input = {
      base: 'base',
      commit: 'work',
      task,
      rules,
      merged: { from: 'x', to: 'base', files: ['a'] },
    };
    for (const verb of ['changes', 'blob', 'file'] as const) {
      const found = inspect({ ...git, [verb]: broken }, input);
      await expect(found).rejects.toMatchObject({ failure });
    }
  });
});
