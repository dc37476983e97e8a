// Pipelines: which stages a task passes is data, checked before anything runs; what needs no agent starts none.
import { expect, test } from 'vitest';
import { approves, noted, notes, oneShotProject, startsOf, wants } from '../../rig/one-shots.ts';
import { expectRefusal, expectUntouched, oneTask } from '../../rig/refusal.ts';
import { type Action, append, print, testProject, touch, waitFor, write } from '../../rig.ts';

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

const profiles = 'agent: one\nagents:\n  one: { use: scripted, script: s.json }\n';
const wrong: readonly [string, string, readonly string[]][] = [
  [
    'names a stage nobody knows',
    'pipeline:\n  docs: [work, test, land]\n',
    ['yardmaster.yaml:5', 'pipeline.docs', '"test"', 'critique, tests, work, gate, review, land'],
  ],
  [
    'has the stages in another order',
    'pipeline:\n  docs: [work, land]\n  chore: [gate, work, land]\n',
    ['yardmaster.yaml:6', 'pipeline.chore', 'in the order'],
  ],
  [
    'has a stage twice',
    'pipeline: { docs: [work, gate, gate, land] }\n',
    ['yardmaster.yaml:4', 'each once'],
  ],
  ['never works', 'pipeline: { docs: [gate, land] }\n', ['yardmaster.yaml:4', 'work and land']],
  ['never lands', 'pipeline: { docs: [work, gate] }\n', ['yardmaster.yaml:4', 'work and land']],
  ['is empty', 'pipeline: { docs: [] }\n', ['yardmaster.yaml:4', 'work and land']],
  [
    'has a review by nobody',
    'pipeline:\n  default: [work, review, land]\n',
    ['yardmaster.yaml:5', 'pipeline.default', 'review.agent'],
  ],
  [
    'has a critique by nobody',
    'pipeline:\n  default: [critique, work, land]\n',
    ['yardmaster.yaml:5', 'pipeline.default', 'critique.agent'],
  ],
  ['is a list', 'pipeline: [work, land]\n', ['yardmaster.yaml:4', 'map of task types']],
];

test.each(wrong)(
  'a pipeline that %s is refused before anything runs, with its line',
  async (_name, text, says) => {
    const y = testProject({ ...oneTask, files: { 's.json': '{}' } });
    y.write('yardmaster.yaml', profiles + text);
    await expectUntouched(y, async () => expectRefusal(await y.ym('run', y.plan), 2, ...says));
    y.commit('Wrong on the target as well');
    await expectUntouched(y, async () => expectRefusal(await y.ym('run', y.plan), 2, ...says));
  },
);

test('a pipeline that is wrong on the target alone is refused as well', async () => {
  const y = testProject(oneTask);
  const right = y.read('yardmaster.yaml');
  y.write('yardmaster.yaml', `${profiles}pipeline:\n  docs: [work, test, land]\n`);
  y.commit('Wrong on the target');
  y.write('yardmaster.yaml', right);
  await expectUntouched(y, async () => {
    const refused = await y.ym('run', y.plan);
    expectRefusal(refused, 2, 'pipeline.docs', 'test');
    expect(refused.stderr).toMatch(/main|target/);
  });
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
