// `ym ui` as a person starts it, next to a run.
import { expect, test } from 'vitest';
import { startUi } from '../../rig/ui.ts';
import { testProject, touch, waitFor, write } from '../../rig.ts';

test('a run that is started in the page outlives the server', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    leaves: ['state'],
    script: { a: [[touch('working'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  await y.ym('import', y.plan);
  const ui = await startUi(y);
  const body = JSON.stringify({ kind: 'run', slots: 1 });
  const answer = await fetch(`${ui.base}/api/actions`, {
    method: 'POST',
    body,
    headers: ui.headers,
  });
  expect(await answer.json()).toMatchObject({ command: 'ym run --scope ready --jobs 1' });
  await y.seen('working');
  ui.child.signal('SIGTERM');
  await ui.child.end();
  y.signal('go');
  await y.untilStatus(({ run }) => run?.state === 'ended', 'the end of the run');
  await y.untilProgramsEnd();
  expect(y.landings()).toEqual({ a: 1 });
});

test('other machines are let in only on purpose', async () => {
  const y = testProject();
  const refused = await y.ym('ui', '--no-open', '--host', '0.0.0.0');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--expose') });
});
