// Runs of other programs through the built program, in a folder that is neither a project nor a repository.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesOf, hewParallel, oompaRunFiles } from '../foreign/samples.ts';
import { startChild } from '../rig/child.ts';

function folder(entries: Readonly<Record<string, unknown>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'yard-foreign-runs-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const { name, text } of filesOf(entries)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

const ym = (cwd: string, ...args: string[]) =>
  startChild(args, { cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd, TZ: 'UTC' } }).end();

test('runs, summary and graph read the runs of a folder and write nothing into it', async () => {
  const dir = folder({
    ...Object.fromEntries(
      Object.entries(hewParallel).map(([name, text]) => [`.hew/loop/loop-p/${name}`, text]),
    ),
    'runs/8f00ba12/started.json': oompaRunFiles['started.json'],
  });
  const before = readdirSync(dir, { recursive: true });
  const listed = await ym(dir, 'runs', '--from', '.');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(
    /loop-parallel +hew +2026-05-30 12:00 +4 +2 +30 m 00 s +ready_empty/,
  );
  expect(listed.stdout).toMatch(/8f00ba12 +oompa +2026-02-16 10:00 +0 +0 +- +no end recorded/);
  const summed = await ym(dir, 'summary', '--from', 'runs', '--json');
  expect(JSON.parse(summed.stdout)).toMatchObject({
    schema: 1,
    tool: 'oompa',
    id: '8f00ba12',
    class: 'empty',
    startedAt: '2026-02-16T10:00:00.000Z',
    unknown: ['tokens', 'cost', 'commits', 'gate runs'],
  });
  const drawn = await ym(dir, 'graph', 'parallel', '--from', '.hew/loop');
  expect(drawn.stdout).toContain('✓ hew-aaa.1 ─p▸ ✓ hew-ccc.2');
  expect(readdirSync(dir, { recursive: true })).toEqual(before);
  expect(await ym(dir, 'graph', '--from', '.hew', '-o', 'run.md')).toMatchObject({ code: 2 });
  expect((await ym(dir, 'graph', '--from', '.hew/loop', '-o', 'run.md')).stdout).toBe(
    'Wrote run.md\n',
  );
  expect(readFileSync(join(dir, 'run.md'), 'utf8')).toContain('```mermaid');
});

test('a folder without runs and options that exclude each other are refused with status 2', async () => {
  const dir = folder({ 'a.txt': '' });
  for (const [args, sentence] of [
    [['summary', '--from', 'a'], /a cannot be read \(ENOENT/],
    [['runs', '--from', '.'], /contains no run of hew, boi or oompa/],
    [['summary', '--from', '.', '--markdown'], /--markdown does not go together with --from/],
  ] as const) {
    const { code, stdout, stderr } = await ym(dir, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/Internal error|^\s+at /m);
  }
});
