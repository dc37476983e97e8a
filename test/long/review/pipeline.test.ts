// Pipelines: which stages a task passes is data, checked before anything runs; what needs no agent starts none.
import { expect, test } from 'vitest';
import { approves, noted, notes, oneShotProject, startsOf, wants } from '../../rig/one-shots.ts';
import { type Action, append, print, touch, waitFor, write } from '../../rig.ts';

const works: Action = { run: { shell: 'echo done > "$YARD_TASK.txt"' } };

test('a run with everything in it starts an agent for each turn and each look, and for nothing else', async () => {
  const y = oneShotProject({
    files: { 'list.txt': 'start\n' },
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c', after: ['a', 'b'] }],
    script: {
      // Nobody commits: the engine does. The second to land has a conflict, which its own agent resolves.
      a: [
        [noted, touch('a'), waitFor('b'), append('list.txt', 'a\n')],
        [noted, { mergeTarget: { branch: 'main', resolve: 'union' } }],
      ],
      b: [
        [noted, touch('b'), waitFor('a'), append('list.txt', 'b\n')],
        [noted, { mergeTarget: { branch: 'main', resolve: 'union' } }],
      ],
      c: [
        [noted, write('c.txt', 'c\n')],
        [noted, append('c.txt', 'd\n')],
      ],
    },
    oneShotAgents: {
      reader: {
        default: { reviews: [[noted, approves]] },
        c: {
          reviews: [
            [noted, ...wants('no-d major c.txt There is no d.')],
            [noted, approves],
          ],
        },
      },
      critic: { default: { critiques: [[noted, approves]] } },
    },
    config: {
      gate: { commands: ['sh gate.sh'], branch: 'always' },
      review: { agent: 'reader' },
      critique: { agent: 'critic' },
      verify: { enabled: true, command: 'sh gate.sh' },
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const [, second = ''] = y.landed();
  const starts = await startsOf(y);
  const of = (id: string): readonly string[] =>
    starts.flatMap((start) => (start.startsWith(`${id} `) ? [start.slice(id.length + 1)] : []));
  expect(of(second)).toEqual([
    'critique 1',
    'turn 1',
    'review 1 reader',
    'turn 2',
    'review 2 reader',
  ]);
  expect(of(second === 'a' ? 'b' : 'a')).toEqual(['critique 1', 'turn 1', 'review 1 reader']);
  expect(of('c')).toEqual(['critique 1', 'turn 1', 'review 1 reader', 'turn 2', 'review 2 reader']);
  expect(notes(y)).toBe(starts.length);
  expect((await y.status()).spend.starts).toBe(starts.length);
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1 });
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('the stages of a run are those of the target when it began', async () => {
  const y = oneShotProject({
    tasks: [{ id: 'a' }],
    script: { default: [[print('Working'), touch('working'), waitFor('go'), works]] },
    oneShotAgents: { reader: [[approves]] },
    config: { review: { agent: 'reader' } },
  });
  const run = y.start('run', y.plan);
  await y.seen('working');
  const config = JSON.parse(y.read('yardmaster.yaml'));
  y.write(
    'yardmaster.yaml',
    JSON.stringify({ ...config, pipeline: { default: ['work', 'land'] } }),
  );
  y.commit('No reviews from now on');
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(await startsOf(y)).toEqual(['a turn 1', 'a review 1 reader']);
});
