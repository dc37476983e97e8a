// Tools and resources as an MCP client sees them, with real runs of scripted agents.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { print, testProject, touch, waitFor, write } from '../rig.ts';
import { type Answer, connected, type TestClient } from './rig.ts';

/** Waits until the run has ended or needs a decision. */
async function settled(client: TestClient): Promise<Answer> {
  for (;;) {
    const status = await client.call('status', { wait_seconds: 30, all: true });
    if (status.waiting !== true) return status;
  }
}

test('a client plans, runs and lands a task, and nobody touches a terminal', async () => {
  const y = testProject({ script: { greet: [[write('hi.txt', 'hi\n')]] } });
  const client = await connected(y);
  const added = await client.call('add', { title: 'Greet', paths: ['hi.txt'], priority: 1 });
  expect(added).toMatchObject({ task: { id: 'greet', priority: 1 }, warnings: [] });
  expect(await client.call('plan')).toMatchObject({
    tasks: [{ id: 'greet', position: 1 }],
    waves: [['greet']],
    concerns: [],
  });
  const run = await client.call('run', { jobs: 1 });
  expect(run).toMatchObject({ run: expect.any(String), output: expect.any(String) });
  expect(await settled(client)).toMatchObject({
    run: { state: 'ended', id: run.run },
    tasks: [{ id: 'greet', state: 'landed' }],
    needsYou: [],
    waiting: false,
  });
  expect(y.show('hi.txt')).toBe('hi\n');
  expect(existsSync(String(run.output))).toBe(true);
  expect(readFileSync(String(run.output), 'utf8')).toContain('greet');
  expect(await client.call('diff', { id: 'greet' })).toMatchObject({
    files: [{ path: 'hi.txt' }],
    patch: expect.stringContaining('+hi'),
    cut: false,
  });
  expect(await client.call('why', { id: 'greet' })).toMatchObject({ view: { state: 'landed' } });
  expect(await client.call('summary')).toMatchObject({ run: run.run });
  expect(await client.call('status')).toMatchObject({ tasks: [] });
});

test('every event that a client causes names it, also those of the run that it started', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  const client = await connected(y);
  expect(await client.call('import', { sources: [y.plan] })).toMatchObject({ added: ['a'] });
  await client.call('run', { only: ['a'] });
  await settled(client);
  const actor = { name: 'test-client', through: 'mcp' };
  const events = await y.events();
  for (const type of ['task-added', 'run-started']) {
    expect(events.find((event) => event.type === type)).toMatchObject({ actor });
  }
  const { seq } = await client.call('events', { limit: 1 });
  expect(seq).toBe(1);
  const rest = await client.call('events', { after: 1, limit: 500 });
  expect(rest.seq).toBe(events.length);
  expect(rest.events).toHaveLength(events.length - 1);
});

test('a run goes on while the client does other things, and status waits for it', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[print('working\n'), touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const client = await connected(y);
  await client.call('run', { sources: [y.plan] });
  await y.seen('begun');
  expect(await client.call('status', { wait_seconds: 0.2 })).toMatchObject({
    run: { state: 'running' },
    waiting: true,
  });
  expect(await client.call('run')).toMatchObject({ refused: expect.stringContaining('run') });
  expect(await client.call('log', { id: 'a' })).toMatchObject({
    text: expect.stringContaining('working'),
  });
  expect(await client.call('tell', { id: 'a', text: 'Be brief' })).toMatchObject({ ids: ['a'] });
  y.signal('go');
  const told: string[] = [];
  await client.client.callTool(
    { name: 'status', arguments: { wait_seconds: 30 } },
    { onprogress: ({ message }) => told.push(message ?? '') },
  );
  expect(told.join('\n')).toContain('of 1 tasks are done');
  expect(y.landed()).toEqual(['a']);
});

test('a run is stopped and resumed', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const client = await connected(y);
  const { run } = await client.call('run', { sources: [y.plan] });
  await y.seen('begun');
  expect(await client.call('stop', { now: true })).toEqual({ runs: [run] });
  expect(await settled(client)).toMatchObject({ run: { state: 'ended' } });
  y.signal('go');
  expect(await client.call('resume')).toMatchObject({ run });
  expect(await settled(client)).toMatchObject({ tasks: [{ state: 'landed' }] });
});

const ci = '.github/workflows/ci.yml';

test('work that waits for approval is approved by people, or by a client that may do so', async () => {
  const edits = [write(ci, 'on: push\n')];
  const y = testProject({
    config: { retries: 1 },
    files: { [ci]: 'on: []\n' },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: [edits], b: [edits, [write(ci, 'on: []\n'), write('b.txt', 'b\n')]] },
  });
  const client = await connected(y);
  await client.call('run', { sources: [y.plan] });
  const { needsYou } = await settled(client);
  expect(JSON.stringify(needsYou)).toContain('"kind":"approval"');
  await y.untilStatus(({ counts }) => counts.blocked === 2, 'both wait for approval');
  const refused = await client.call('approve', { ids: ['a'] });
  expect(refused.refused).toContain('Approvals are for people');
  expect(refused.refused).toContain('ym approve a');
  expect((await y.events()).some(({ type }) => type === 'task-decided')).toBe(false);
  const trusted = await connected(y, { mayApprove: true });
  expect(await trusted.call('approve', { ids: ['a'], reason: 'wanted' })).toMatchObject({
    ids: ['a'],
    text: expect.stringContaining('approved'),
  });
  expect(await client.call('reject', { id: 'b', reason: 'Leave it alone' })).toMatchObject({
    ids: ['b'],
  });
  await client.call('resume');
  const after = await settled(client);
  expect(after).toMatchObject({ needsYou: [] });
  expect([...y.landed()].sort()).toEqual(['a', 'b']);
});

test('tasks are edited, canceled and opened again', async () => {
  const y = testProject({ tasks: [{ id: 'a' }] });
  const client = await connected(y);
  await client.call('import', { sources: [y.plan] });
  expect(await client.call('edit', { id: 'a', changes: { title: 'Better' } })).toMatchObject({
    task: { id: 'a', title: 'Better' },
  });
  expect(await client.call('cancel', { ids: ['a'], reason: 'no' })).toMatchObject({ ids: ['a'] });
  expect(await client.call('retry', { ids: ['a'] })).toMatchObject({
    text: expect.stringContaining('is open again; continue with'),
  });
  expect(await client.call('graph')).toMatchObject({ nodes: [{ id: 'a', title: 'Better' }] });
});

test('a refusal says what happened and what to do', async () => {
  const client = await connected(testProject({}));
  expect((await client.call('why', { id: 'nothing' })).refused).toContain('nothing');
  expect((await client.call('add', { title: ' ' })).refused).toContain('title');
  expect((await client.call('run')).refused).toContain('ym run');
  expect((await client.call('answer', { id: 'a', text: '' })).refused).toContain('empty');
  expect((await client.call('log', { id: 'a' })).refused).toContain('a');
  expect((await client.call('import', { sources: ['none.yaml'] })).refused).toContain('none.yaml');
  expect((await client.call('status', { wait_seconds: 999 })).refused).toContain('wait_seconds');
});

test('tasks and runs are resources', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  const client = await connected(y);
  await client.call('import', { sources: [y.plan] });
  expect(await client.read('yard://tasks')).toMatchObject({ nodes: [{ id: 'a' }] });
  expect(await client.read('yard://tasks/a')).toMatchObject({ task: { id: 'a' } });
  expect(await client.read('yard://runs')).toEqual([]);
  await expect(client.read('yard://tasks/b')).rejects.toThrow('b');
  const { run } = await client.call('run');
  await settled(client);
  const { resources } = await client.client.listResources();
  const uris = resources.map(({ uri }) => uri);
  expect(uris).toEqual(['yard://tasks', 'yard://runs', 'yard://tasks/a', `yard://runs/${run}`]);
  expect(await client.read(`yard://runs/${run}`)).toMatchObject({ run });
});

test('every tool has a description, a title, schemas for both ways, and says what it changes', async () => {
  const client = await connected(testProject({}));
  const { tools } = await client.client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(
    [
      ...['add', 'import', 'plan', 'graph', 'why', 'log', 'diff'],
      ...['run', 'resume', 'stop', 'status', 'events', 'summary'],
      ...['approve', 'reject', 'answer', 'tell', 'retry', 'cancel', 'edit'],
    ].sort(),
  );
  for (const { title, description, inputSchema, outputSchema, annotations } of tools) {
    expect(title).toBeTruthy();
    expect(description).toMatch(/\.$/);
    expect(inputSchema).toMatchObject({ type: 'object' });
    expect(outputSchema).toMatchObject({ type: 'object' });
    expect(annotations?.openWorldHint).toBe(false);
  }
  const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint);
  expect(readers.map(({ name }) => name).sort()).toEqual(
    ['diff', 'events', 'graph', 'log', 'plan', 'status', 'summary', 'why'].sort(),
  );
});

test('long outputs and patches are cut, and the answer says so', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: {
      a: [[print(`${'word '.repeat(200)}the end\n`), write('a.txt', 'line\n'.repeat(200))]],
    },
  });
  const client = await connected(y);
  await client.call('run', { sources: [y.plan] });
  await settled(client);
  const log = await client.call('log', { id: 'a', max_chars: 100 });
  expect(log).toMatchObject({ attempt: 1, cut: true, text: expect.stringContaining('the end') });
  expect(String(log.text)).toHaveLength(100);
  const diff = await client.call('diff', { id: 'a', attempt: 1, max_chars: 100 });
  expect(diff).toMatchObject({ cut: true, files: [{ path: 'a.txt' }] });
  expect(String(diff.patch)).toHaveLength(100);
  expect(await client.call('log', { id: 'a', shows: 'gate' })).toMatchObject({
    cut: false,
    text: expect.stringContaining('all names are known'),
  });
  expect((await client.call('log', { id: 'a', shows: 'review' })).refused).toContain('review');
});
