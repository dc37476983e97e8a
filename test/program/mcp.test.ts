// `ym mcp` as the official client starts it: a process that speaks on standard input and output.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { TestClient } from '../mcp/rig.ts';
import { program } from '../rig/child.ts';
import { type TestProject, testProject, touch, until, waitFor, write } from '../rig.ts';

async function connect(y: TestProject, mode: 'legacy' | 'auto' = 'legacy'): Promise<TestClient> {
  const client = new Client(
    { name: 'some-agent', version: '2.0.0' },
    { versionNegotiation: { mode } },
  );
  const command = process.execPath;
  const args = [program, 'mcp'];
  const env = { ...y.env(), NODE_OPTIONS: '' };
  const transport = new StdioClientTransport({ command, args, env, cwd: y.root, stderr: 'pipe' });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await y.untilProgramsEnd();
  });
  return new TestClient(client);
}

test('a run goes on when the client and its server are gone', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const client = await connect(y);
  await client.call('run', { sources: [y.plan] });
  await y.seen('begun');
  await client.client.close();
  y.signal('go');
  await until(() => y.landed().includes('a'), 'the landing of a');
  await y.untilStatus(({ run }) => run?.state === 'ended', 'the run has ended');
});

test('it ends with the client, and prints nothing but the protocol', async () => {
  const y = testProject({});
  const ended = await y.ymWith({ stdin: '' }, 'mcp');
  expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
