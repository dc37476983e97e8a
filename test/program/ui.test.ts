// `ym ui` as a person starts it, next to a run.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shell } from '../rig/project.ts';
import { startUi } from '../rig/ui.ts';
import { print, testProject, touch, waitFor, write } from '../rig.ts';
import { TestStream } from '../web/rig.ts';

/** Asks the server to cancel a task, as an agent that has found the token would. */
const cheat = `const { readFileSync, writeFileSync } = require('node:fs');
const [, , base, token, to] = process.argv;
const body = JSON.stringify({ kind: 'cancel', task: 'b' });
const headers = { authorization: 'Bearer ' + readFileSync(token, 'utf8').trim(), 'content-type': 'application/json' };
fetch(readFileSync(base, 'utf8') + '/api/actions', { method: 'POST', body, headers })
  .then((answer) => answer.text()).then((text) => writeFileSync(to, text));
`;

test('the dashboard follows a run, lets no agent decide, and is the same after it was started again', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    leaves: ['state'],
  });
  const [script, base, answer] = ['cheat.cjs', 'base', 'answer'].map((name) =>
    join(y.stage, name),
  ) as [string, string, string];
  writeFileSync(script, cheat);
  const tokenFile = join(y.root, '.git/yardmaster/web-token');
  const call = [process.execPath, script, base, tokenFile, answer].map((word) => `'${word}'`);
  y.writeScript({
    a: [
      [
        touch('working'),
        print('key sk-live-0123456789abcdefghij1 <b>bold</b>'),
        waitFor('cheat'),
        shell(call.join(' ')),
        touch('cheated'),
        waitFor('go'),
        write('a.txt', 'a\n'),
      ],
    ],
    b: [[write('b.txt', 'b\n')]],
  });
  const ui = await startUi(y);
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  expect(await ui.read('/api/view')).toMatchObject({ run: { state: 'none' } });
  const run = y.start('run', y.plan);
  await y.seen('working');
  const { headers } = ui;
  const aborted = new AbortController();
  const { signal } = aborted;
  const tails = await fetch(`${ui.base}/api/tails?tail=a`, { headers, signal });
  const first = await new TestStream(tails, aborted).next('entries');
  const printed = JSON.stringify(first?.data);
  expect(printed).toContain('<b>bold</b>');
  expect(printed).not.toContain('sk-live');
  expect(first?.data).toMatchObject({ task: 'a', attempt: 1, part: 'turn 1', from: 0 });
  expect(await ui.read('/api/tasks/a/log')).toMatchObject({ turn: 1, isLive: true });
  expect(await ui.read('/api/tasks/a/prompt')).toMatchObject({ files: [{ cut: false }] });

  writeFileSync(base, ui.base);
  y.signal('cheat');
  await y.seen('cheated');
  const refused = JSON.parse(readFileSync(answer, 'utf8'));
  expect(refused).toMatchObject({ error: { what: expect.stringContaining('Only a person') } });

  ui.child.signal('SIGTERM');
  expect(await ui.child.end()).toMatchObject({ code: 0, stderr: '' });
  const again = await startUi(y);
  expect([again.base, again.token]).toEqual([ui.base, ui.token]);
  expect(await again.read('/api/view')).toMatchObject({ run: { state: 'running' } });
  const second = await y.ym('ui', '--no-open');
  expect(second).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^ym: Port \d+ is in use/),
  });

  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(await again.read('/api/view')).toMatchObject({
    run: { state: 'ended' },
    counts: { landed: 2 },
  });
  expect(await again.read('/api/view?at=2')).toMatchObject({
    seq: 2,
    counts: { ready: 1, open: 1 },
  });
  // Before the run there was no run, no attempt and no work.
  expect(await again.read('/api/runs?at=2')).toEqual({ runs: [] });
  expect(await again.read('/api/failures?at=2')).toMatchObject({ attempts: 0 });
  for (const path of ['summary', 'tasks/a/diff', 'tasks/a/log', 'tasks/a/gate', 'tasks/a/prompt']) {
    expect(await again.read(`/api/${path}?at=2`), path).toMatchObject({ error: {} });
  }
  expect(await again.read('/api/tasks/a/reviews?at=2')).toMatchObject({ rounds: [] });
  const { runs } = await again.read('/api/runs?at=5');
  expect(runs).toMatchObject([{ state: 'running' }]);
  expect(await again.read('/api/tasks/a/diff')).toMatchObject({ added: 1, removed: 0, cut: false });
  expect(await again.read('/api/queue')).toMatchObject({
    history: [
      { tasks: ['b'], landed: {} },
      { tasks: ['a'], landed: {} },
    ],
  });
  expect(await again.read('/api/timeline')).toMatchObject({ rows: expect.any(Array) });
  again.child.signal('SIGINT');
  expect(await again.child.end()).toMatchObject({ code: 0 });
});
