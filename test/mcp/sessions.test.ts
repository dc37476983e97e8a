// Several clients and calls at once, and calls that are given up.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandNamed } from '../../src/cli/commands.ts';
import { namedIn } from '../rig/documents.ts';
import { testProject, touch, waitFor, write } from '../rig.ts';
import { connected } from './rig.ts';

test('two clients work in one project side by side', async () => {
  const y = testProject({});
  const [one, other] = [await connected(y), await connected(y)];
  const titles = ['A', 'B', 'C', 'D', 'E', 'F'];
  const added = await Promise.all(
    titles.map((title, at) => (at % 2 === 0 ? one : other).call('add', { title })),
  );
  expect(added.filter(({ refused }) => refused !== undefined)).toEqual([]);
  const { nodes } = (await one.call('graph')) as unknown as { nodes: readonly { id: string }[] };
  expect(nodes.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(await other.call('graph')).toEqual(await one.call('graph'));
});

test('a client that gives up waiting ends only its call', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const client = await connected(y);
  await client.call('run', { sources: [y.plan] });
  await y.seen('begun');
  const given = new AbortController();
  const waiting = client.client.callTool(
    { name: 'status', arguments: { wait_seconds: 50 } },
    { signal: given.signal },
  );
  given.abort('enough');
  await expect(waiting).rejects.toThrow('enough');
  expect(await client.call('status')).toMatchObject({ run: { state: 'running' } });
  y.signal('go');
  const ended = await client.call('status', { wait_seconds: 45 });
  expect(ended).toMatchObject({ run: { state: 'ended' }, waiting: false });
});

test('a plan is looked at before it is imported, and warnings need a force', async () => {
  const y = testProject({
    tasks: [{ id: 'a', checks: ['grep -qv TODO a.txt'] }],
    script: { a: [[write('a.txt', 'a\n')]] },
  });
  const client = await connected(y);
  expect(await client.call('plan', { sources: [y.plan] })).toMatchObject({
    tasks: [{ id: 'a' }],
    concerns: [{ severity: 'warn' }],
  });
  const dry = await client.call('import', { sources: [y.plan], dry_run: true });
  expect(dry).toMatchObject({ added: ['a'] });
  expect(await client.call('graph')).toMatchObject({ nodes: [] });
  expect((await client.call('run', { sources: [y.plan] })).refused).toContain('warning');
  await client.call('run', { sources: [y.plan], force: true });
  const ended = await client.call('status', { wait_seconds: 45, all: true });
  expect(ended).toMatchObject({ tasks: [{ id: 'a', state: 'landed' }] });
});

test('docs/programs.md lists every tool once, each with the name of a command', async () => {
  const text = readFileSync(new URL('../../docs/programs.md', import.meta.url), 'utf8');
  const listed = namedIn(text, 'Tools');
  const { tools } = await (await connected(testProject({}))).client.listTools();
  expect([...listed].sort()).toEqual(tools.map(({ name }) => name).sort());
  expect(listed.filter((name) => commandNamed(name) === undefined)).toEqual([]);
});

test('a client is refused what makes no sense now, and told what would', async () => {
  const y = testProject({ tasks: [{ id: 'a' }] });
  const client = await connected(y);
  await client.call('import', { sources: [y.plan] });
  expect((await client.call('resume')).refused).toContain('ym resume');
  expect((await client.call('stop')).refused).toContain('No run is active');
  expect((await client.call('summary')).refused).toContain('no run yet');
  expect((await client.call('why', { id: 'b' })).refused).toContain('b');
  expect((await client.call('reject', { id: 'a', reason: 'x' })).refused).toMatch(/approval/);
  expect((await client.call('edit', { id: 'a', changes: { priority: 9 } })).refused).toBeTruthy();
  expect((await client.call('diff', { id: 'a' })).refused).toContain('a');
});
