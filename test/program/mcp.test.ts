// `ym mcp` as the official client starts it: a process that speaks on standard input and output.

import { expect, test } from 'vitest';
import { connect } from '../rig/mcp.ts';
import { testProject, touch, until, waitFor, write } from '../rig.ts';

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
