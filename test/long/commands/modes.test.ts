// Modes of a run: sets of config keys under a name.
import { expect, test } from 'vitest';
import { testProject, touch, waitFor, write } from '../../rig.ts';

const review = { person: true };
const script = { a: [[touch('a'), waitFor('go'), write('a.txt', 'a\n')]] };

test('a run in a mode goes the way of the mode, also when it is resumed', async () => {
  const y = testProject({ config: { review, preflight: true }, tasks: [{ id: 'a' }], script });
  const run = y.start('run', y.plan, '--mode', 'quick');
  await y.seen('a');
  run.signal('SIGKILL');
  await run.end();
  y.signal('go');
  // Without the mode the work would wait for the approval of a person.
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({ a: 1 });
  const events = await y.events();
  expect(events.find(({ type }) => type === 'run-started')).toMatchObject({
    settings: { mode: 'quick', pipelines: { default: ['work', 'land'] }, retries: 1 },
  });
  // Every landing passes the gate on its candidate, in every mode.
  const types = events.map(({ type }) => type);
  expect(types).toContain('candidate-judged');
  expect(types).not.toContain('target-judged');
  expect(types).not.toContain('branch-judged');
});
