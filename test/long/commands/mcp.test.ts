// `ym mcp` as the official client starts it: a process that speaks on standard input and output.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../rig/child.ts';
import { connect } from '../../rig/mcp.ts';
import { expectRefusal } from '../../rig/refusal.ts';
import { testProject, write } from '../../rig.ts';

test.each(['legacy', 'auto'] as const)(
  'a session plans, runs and lands a task (protocol: %s)',
  async (mode) => {
    const y = testProject({ script: { hello: [[write('hello.txt', 'hello\n')]] } });
    const client = await connect(y, mode);
    expect(client.client.getInstructions()).toContain('wait_seconds');
    expect(await client.call('add', { title: 'Hello' })).toMatchObject({ task: { id: 'hello' } });
    const { run } = await client.call('run');
    const status = await client.call('status', { wait_seconds: 45, all: true });
    expect(status).toMatchObject({ run: { id: run }, tasks: [{ state: 'landed' }] });
    expect(y.landed()).toEqual(['hello']);
    const actors = (await y.events()).flatMap((event) => ('actor' in event ? [event.actor] : []));
    expect(new Set(actors.map((actor) => actor?.name))).toEqual(new Set(['some-agent']));
    const why = await y.ym('why', 'hello');
    expect(why.stdout).toContain('some-agent (ym mcp)');
  },
);

test('an agent of a run cannot decide through a server of its own, even with --approve', async () => {
  const calls = [
    { name: 'approve', arguments: { ids: ['a'] } },
    { name: 'cancel', arguments: { ids: ['a'] } },
    { name: 'stop', arguments: { now: true } },
    { name: 'run', arguments: {} },
    { name: 'status', arguments: {} },
  ];
  const first = {
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'sly', version: '1' },
    },
  };
  const requests = [first, ...calls.map((params) => ({ method: 'tools/call', params }))];
  const lines = requests.map((one, id) => JSON.stringify({ jsonrpc: '2.0', id, ...one }));
  const y = testProject({
    config: { agent: 'sly', agents: { sly: { use: 'command', command: ['./agent.sh'] } } },
    files: { 'requests.txt': `${lines.join('\n')}\n` },
    tasks: [{ id: 'a', title: 'Do a' }],
  });
  // Its input stays open until all is answered.
  const serve = `( cat requests.txt; while test "$(wc -l < said.txt)" -lt ${requests.length}; do sleep 0.1; done ) | '${process.execPath}' '${program}' mcp -C '${y.root}' --approve > said.txt`;
  y.write('agent.sh', `#!/bin/sh\ncat > /dev/null\ntouch said.txt\n${serve}\n`);
  chmodSync(join(y.root, 'agent.sh'), 0o755);
  y.commit('Let it run');
  expect((await y.ym('run', y.plan)).code).toBe(0);
  const answers = y.show('said.txt').trim().split('\n');
  const byId = answers.map((line) => JSON.parse(line) as { id: number; result: object });
  for (const id of [1, 2, 3, 4]) {
    const { result } = byId.find((one) => one.id === id) ?? { result: {} };
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result).toLowerCase()).toContain('only a person may use');
  }
  expect(byId.find(({ id }) => id === 5)?.result).not.toHaveProperty('isError');
});

test('a line that is no message is answered with an error without an id', async () => {
  const y = testProject({});
  const noise = await y.ymWith({ stdin: 'hello\n{"jsonrpc":"2.0"}\n' }, 'mcp');
  expect(noise).toMatchObject({ code: 0, stderr: '' });
  expect(
    noise.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } },
  ]);
});

test('outside of a repository it says so before it serves', async () => {
  const y = testProject({});
  expectRefusal(await y.ymWith({ cwd: y.base }, 'mcp'), 3, 'not in a git repository');
});
