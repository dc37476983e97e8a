import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SourceChange, SourceState } from '../../src/model/source-change.ts';
import { openAddress } from '../../src/source/address.ts';
import { taskTracker, writingOf } from '../../src/source/write-back.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { StandInBd } from './stand-in-bd.ts';

let root: string;
beforeEach(() => {
  root = tempFolder();
});

const put = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
};
const landed = { by: 'claude', at: Date.UTC(2026, 0, 2), reviewRounds: 1, commit: 'c0ffee' };
const change = (id: string, source: string, from: SourceState, to: SourceState): SourceChange => ({
  id,
  source,
  from,
  to,
  reason: to === 'closed' ? 'landed as c0ffee' : '',
  ...(to === 'closed' ? { landed } : {}),
});

describe('Beads', () => {
  const issue = { title: 'A', issue_type: 'task', priority: 1 };
  const stage = () => {
    const bd = new StandInBd(join(root, 'bin'), [
      { ...issue, id: 'bd-1', status: 'open', labels: ['x'] },
      { ...issue, id: 'bd-2', status: 'closed' },
    ]);
    const env = { PATH: `${bd.folder}${delimiter}${process.env.PATH}` };
    const { write } = taskTracker({ dir: root, env });
    const sync = (id: string, from: SourceState, to: SourceState) =>
      write(change(id, '.beads', from, to));
    return { bd, env, sync };
  };

  it('is claimed, closed with a reason and opened again', async () => {
    const { bd, sync } = stage();
    expect(await sync('bd-1', 'open', 'claimed')).toEqual({ ok: true });
    expect(bd.issue('bd-1')).toMatchObject({ status: 'in_progress' });
    expect(await sync('bd-1', 'claimed', 'closed')).toEqual({ ok: true });
    expect(bd.issue('bd-1')).toMatchObject({ status: 'closed', close_reason: 'landed as c0ffee' });
    expect(await sync('bd-1', 'closed', 'open')).toEqual({ ok: true });
    expect(bd.issue('bd-1')).toMatchObject({ status: 'open' });
    expect(bd.calls.map(({ args, cwd }) => [cwd, ...args].join(' '))).toEqual([
      `${root} update bd-1 --status in_progress --json`,
      `${root} close bd-1 --reason landed as c0ffee --json`,
      `${root} show bd-1 --json`,
      `${root} reopen bd-1 --json`,
    ]);
  });

  it('may have the state already after a crash', async () => {
    const { sync } = stage();
    expect(await sync('bd-2', 'claimed', 'closed')).toEqual({ ok: true });
  });

  it('keeps the state that a person gave it', async () => {
    const { bd, sync } = stage();
    expect(await sync('bd-2', 'claimed', 'open')).toEqual({ ok: true });
    expect(bd.issue('bd-2')).toMatchObject({ status: 'closed' });
  });

  it('is opened again if it was closed while the attempt worked, and only then', async () => {
    const at = Date.UTC(2026, 0, 2, 12);
    const hour = 3_600_000;
    const closed = { ...issue, status: 'closed', closed_at: new Date(at).toISOString() };
    const bd = new StandInBd(join(root, 'bin'), [{ ...closed, id: 'bd-1' }]);
    const { write } = taskTracker({ dir: root, env: { PATH: bd.folder } });
    const giveUp = (since: number, until?: number) =>
      write({
        ...change('bd-1', 'beads:', 'claimed', 'open'),
        worked: until === undefined ? { since } : { since, until },
      });
    expect(await giveUp(at + hour)).toEqual({ ok: true });
    expect(await giveUp(at - 2 * hour, at - hour)).toEqual({ ok: true });
    expect(bd.issue('bd-1')).toMatchObject({ status: 'closed' });
    expect(await giveUp(at - hour, at + hour)).toEqual({ ok: true });
    expect(bd.issue('bd-1')).toMatchObject({ status: 'open' });
    expect(bd.calls.at(-1)?.args).toEqual(['reopen', 'bd-1', '--json']);
  });

  it('gives a reason if it cannot be written', async () => {
    const { bd, sync } = stage();
    expect(await sync('bd-9', 'open', 'claimed')).toEqual({
      ok: false,
      note: 'bd update failed with exit status 1: Error: no issue found matching "bd-9"',
    });
    bd.break();
    expect(await sync('bd-1', 'claimed', 'open')).toMatchObject({
      note: expect.stringContaining('database is locked'),
    });
    const { write } = taskTracker({ dir: root, env: { PATH: join(root, 'nothing') } });
    expect(await write(change('bd-1', 'beads:', 'open', 'claimed'))).toEqual({
      ok: false,
      note: 'bd could not be started: bd is not on PATH',
    });
  });

  it('is read through bd, or from its export if there is no bd', async () => {
    const { bd, env } = stage();
    const places = { cwd: root, readStdin: async () => '', mappings: {} };
    const listed = async (path: string, typed = 'beads:') => {
      const source = openAddress(typed, { ...places, env: { PATH: path } });
      return source.ok ? source.value.list() : source;
    };
    const ids = { ok: true, value: [{ id: 'bd-1', labels: ['x'] }] };
    expect(await listed(env.PATH)).toMatchObject(ids);
    expect(await listed(env.PATH, 'beads:x')).toMatchObject({ ok: false });
    put('.beads/issues.jsonl', `${JSON.stringify({ ...issue, id: 'bd-7', status: 'open' })}\n`);
    expect(await listed('')).toMatchObject({ ok: true, value: [{ id: 'bd-7' }] });
    bd.break();
    expect(await listed(env.PATH)).toMatchObject({
      ok: false,
      failure: [{ kind: 'surroundings-broken', problem: expect.stringContaining('locked') }],
    });
  });
});

describe('tickets of oompa', () => {
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  const text = '{\n  "id": "page",\n  "summary": "Add the page"\n}\n';
  const sync = (from: SourceState, to: SourceState, id = 'page') =>
    taskTracker({ dir: root, env }).write(change(id, 'tasks', from, to));
  const files = () =>
    ['pending', 'current', 'complete'].flatMap((folder) => {
      const dir = join(root, 'tasks', folder);
      return existsSync(dir) ? readdirSync(dir).map((name) => `${folder}/${name}`) : [];
    });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: root, env });

  it('are moved on a claim and back, byte by byte', async () => {
    put('tasks/pending/1.json', text);
    expect(await sync('open', 'claimed')).toEqual({ ok: true });
    expect(files()).toEqual(['current/1.json']);
    expect(await sync('open', 'claimed')).toEqual({ ok: true });
    expect(await sync('claimed', 'open')).toEqual({ ok: true });
    expect(readFileSync(join(root, 'tasks/pending/1.json'), 'utf8')).toBe(text);
  });

  it.each([
    ['1.json', text],
    ['1.edn', '{:id "page" ; the id\n :summary "Add the page"}\n'],
  ])('get the facts of their landing: %s', async (name, before) => {
    put(`tasks/current/${name}`, before);
    expect(await sync('claimed', 'closed')).toEqual({ ok: true });
    expect(files()).toEqual([`complete/${name}`]);
    const after = readFileSync(join(root, 'tasks/complete', name), 'utf8');
    expect(after.startsWith(before.slice(0, before.lastIndexOf('}')).trimEnd())).toBe(true);
    for (const fact of [
      'completed-by',
      '"claude"',
      '2026-01-02T00:00:00.000Z',
      'merged-commit',
      'c0ffee',
    ])
      expect(after).toContain(fact);
    if (name.endsWith('json')) {
      expect(JSON.parse(after)).toMatchObject({ summary: 'Add the page', 'review-rounds': 1 });
    }
    expect(await sync('claimed', 'closed')).toEqual({ ok: true });
    expect(readFileSync(join(root, 'tasks/complete', name), 'utf8')).toBe(after);
  });

  it('are finished after a crash between the new file and the removal of the old one', async () => {
    put('tasks/current/1.json', text);
    put('tasks/complete/1.json', text);
    expect(await sync('claimed', 'closed')).toEqual({ ok: true });
    expect(files()).toEqual(['complete/1.json']);
  });

  it('are taken from one folder if they are in two, unless only the other copy has its text', async () => {
    put('tasks/current/1.json', text);
    git('init', '-q');
    git('add', '.');
    const better = text.replace('the page', 'the best page');
    put('tasks/pending/1.json', better);
    expect(await sync('claimed', 'closed')).toEqual({ ok: true });
    expect(files()).toEqual(['complete/1.json']);
    expect(readFileSync(join(root, 'tasks/complete/1.json'), 'utf8')).toContain('the best page');
    put('tasks/current/1.json', text.replace('the page', 'something new'));
    expect(await sync('claimed', 'closed')).toEqual({
      ok: false,
      note: 'current/1.json is a second copy of the ticket; remove one of them',
    });
    expect(files()).toEqual(['current/1.json', 'complete/1.json']);
  });

  it('are not moved over another file, nor if a person moved or removed them', async () => {
    put('tasks/pending/1.json', text);
    put('tasks/current/1.json', '{ "id": "other", "summary": "Other" }');
    expect(await sync('open', 'claimed')).toEqual({
      ok: false,
      note: 'pending/1.json cannot be moved: current/1.json is another file',
    });
    expect(await sync('open', 'claimed', 'unknown')).toEqual({ ok: true });
    put('tasks/complete/2.json', '{ "id": "two", "summary": "Two" }');
    expect(await sync('claimed', 'open', 'two')).toEqual({ ok: true });
    expect(files()).toEqual(['pending/1.json', 'current/1.json', 'complete/2.json']);
  });

  it('never make a link of an agent lead to a file of the user', async () => {
    put('elsewhere/precious', 'precious');
    put('tasks/current/1.json', text);
    put('tasks/complete/2.json', text.replace('page', 'two'));
    symlinkSync(join(root, 'elsewhere/precious'), join(root, 'tasks/complete/.1.json.new'));
    expect(await sync('claimed', 'closed')).toEqual({ ok: true });
    expect(files()).toEqual(['complete/1.json', 'complete/2.json']);
    expect(readFileSync(join(root, 'elsewhere/precious'), 'utf8')).toBe('precious');

    put('tasks/current/3.json', text.replace('page', 'three'));
    symlinkSync(join(root, 'elsewhere'), join(root, 'tasks/pending'));
    const note = 'pending is a symbolic link';
    expect(await sync('claimed', 'open', 'three')).toEqual({ ok: false, note });
    renameSync(join(root, 'tasks'), join(root, 'moved'));
    symlinkSync(join(root, 'moved'), join(root, 'tasks'));
    const whole = 'tasks is a symbolic link';
    expect(await sync('claimed', 'closed', 'three')).toEqual({ ok: false, note: whole });
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['precious']);
  });

  it('are moved if git tracks them, but not with uncommitted changes', async () => {
    put('tasks/pending/1.json', text);
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'x');
    expect(await sync('open', 'claimed')).toEqual({ ok: true });
    expect(await sync('claimed', 'open')).toEqual({ ok: true });
    expect(git('status', '--porcelain').toString()).toBe('');
    put('tasks/pending/1.json', text.replace('the page', 'the best page'));
    expect(await sync('open', 'claimed')).toEqual({
      ok: false,
      note: 'pending/1.json has uncommitted changes',
    });
    expect(files()).toEqual(['pending/1.json']);
  });
});

it('only Beads and oompa are written to', () => {
  put('tasks/pending/1.json', '{}');
  put('md/a.md', '# A');
  put('plan.yaml', 'tasks: []');
  const tools = [
    '.beads',
    'sub/.beads/issues.jsonl',
    'beads:',
    'tasks',
    'md',
    'plan.yaml',
    'x.jsonl',
    'github:',
    'gone',
  ];
  expect(tools.map((source) => writingOf(root, source)?.tool)).toEqual([
    'beads',
    'beads',
    'beads',
    'oompa',
    ...Array.from({ length: 5 }, () => undefined),
  ]);
});
