// A check that says now this and now that about one and the same tree: it costs nobody their work, and it never makes
// red green in silence.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Event } from '../../../src/model/event.ts';
import {
  type Action,
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  write,
} from '../../rig.ts';

/** Red once for each file `flake…` on the stage, and as long as there is one called `broken`. */
const moody = `for flake in "$STAGE"/flake*; do
  test -e "$flake" || continue
  rm "$flake"
  echo 'the socket timed out'
  exit 1
done
test ! -e "$STAGE/broken" || { echo 'the service is down'; exit 1; }
echo 'a good day'
`;

const flaky = 'sh moody.sh';
const both = [flaky, 'sh gate.sh'];

const withGate = (commands: readonly string[], more: object = {}) =>
  ({
    files: { 'moody.sh': moody },
    config: { retries: 0, gate: { commands, branch: 'never', ...more } },
  }) as const satisfies TestProjectOptions;

const run = (y: TestProject) => y.ymWith({ env: { STAGE: y.stage } }, 'run', y.plan);

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

async function eventsOf<Type extends Event['type']>(
  y: TestProject,
  type: Type,
): Promise<readonly Of<Type>[]> {
  return (await y.events()).filter((event): event is Of<Type> => event.type === type);
}

const work = (id: string, ...more: Action[]) => [[write(`${id}.txt`, `${id}\n`), ...more]];

test('a check that is red twice is red: the work comes back with what it printed', async () => {
  const y = testProject({
    ...withGate(both),
    tasks: [{ id: 'a' }],
    script: { a: [...work('a'), [write('a.txt', 'again\n')]] },
  });
  y.signal('flake-1');
  y.signal('flake-2');
  const ended = await y.ymWith({ env: { STAGE: y.stage } }, 'run', y.plan, '--retries', '1');
  expect(ended).toMatchObject({ code: 0 });
  const verdicts = await eventsOf(y, 'candidate-judged');
  expect(verdicts.map(({ verdict }) => verdict.id)).toEqual(['failed', 'passed']);
  expect(await eventsOf(y, 'check-flaked')).toEqual([]);
  expect(y.show('a.txt')).toBe('again\n');
  const id = (await y.status()).run?.id ?? '';
  const prompt = join(
    y.root,
    '.git',
    'yardmaster',
    'runs',
    id,
    'attempts',
    'a-1',
    'turn-2.prompt.md',
  );
  expect(readFileSync(prompt, 'utf8')).toContain('the socket timed out');
});

test('without reruns the first red counts', async () => {
  const y = testProject({
    ...withGate(both, { reruns: 0 }),
    tasks: [{ id: 'a' }],
    script: { a: work('a') },
    leaves: ['branches'],
  });
  y.signal('flake');
  expect(await run(y)).toMatchObject({ code: 1 });
  expect(await eventsOf(y, 'check-flaked')).toEqual([]);
  expect(y.landings()).toEqual({});
  // It was red and nobody looked again: the next one is judged afresh, and lands.
  await y.ym('retry', 'a');
  expect(await run(y)).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
});

/** Four whose checks flake, one after the other, and then `last`. */
const fourFlakes = (...last: Action[]) =>
  ({
    tasks: [
      { id: 'a' },
      { id: 'b', after: ['a'] },
      { id: 'c', after: ['b'] },
      { id: 'd', after: ['c'] },
      { id: 'last', after: ['d'] },
    ],
    script: {
      a: work('a', touch('flake')),
      b: work('b', touch('flake')),
      c: work('c', touch('flake')),
      d: work('d', touch('flake')),
      last: work('last', ...last),
    },
    leaves: ['branches'],
  }) as const satisfies TestProjectOptions;

test('one that flaked too often gets more tries for a while, which is shown, and is red when all are red', async () => {
  const moods = ['flake-1', 'flake-2', 'flake-3'].map((name) => touch(name));
  const y = testProject({ ...withGate(both), ...fourFlakes(...moods) });
  const ended = await run(y);
  expect(ended).toMatchObject({ code: 0 });
  expect(await eventsOf(y, 'check-flaked')).toHaveLength(5);
  expect(y.landed()).toEqual(['a', 'b', 'c', 'd', 'last']);
  const judged = (await eventsOf(y, 'candidate-judged')).at(-1);
  expect(judged?.verdict).toMatchObject({ id: 'passed', quarantined: [flaky], flaked: [flaky] });
  expect((await y.ym('why', 'last')).stdout).toMatch(/passed.*sh moody\.sh in quarantine/);
  expect((await y.ym('summary')).stdout).toMatch(/5 times/);
  // What is in quarantine, and until when, is said before the next run and in the report of this one.
  expect((await y.ym('doctor')).stdout).toMatch(/flaky .*"sh moody\.sh".* until \d/);
  expect((await y.ym('summary')).stdout).toMatch(/sh moody\.sh.* quarantine/);

  // Nothing lands by that which the other command finds red, or which the check finds red in every try.
  y.writeTasks([{ id: 'bad' }]);
  y.writeScript({ bad: work('bad', write('red', '')) });
  expect(await run(y)).toMatchObject({ code: 1 });
  y.writeTasks([{ id: 'worse' }]);
  y.writeScript({ worse: work('worse', touch('broken')) });
  expect([1, 3]).toContain((await run(y)).code);
  expect(existsSync(join(y.stage, 'broken'))).toBe(true);
  expect(y.landed()).toEqual(['a', 'b', 'c', 'd', 'last']);
});

test('the only command of a gate judges however often it flaked', async () => {
  const y = testProject({ ...withGate([flaky]), ...fourFlakes(touch('broken')) });
  // The target is not to blame, but it is red as well while the service is down.
  const ended = await run(y);
  expect([1, 3]).toContain(ended.code);
  expect(await eventsOf(y, 'check-flaked')).toHaveLength(4);
  expect(y.landed()).toEqual(['a', 'b', 'c', 'd']);
  const judged = (await eventsOf(y, 'candidate-judged')).at(-1);
  expect(judged?.verdict).toMatchObject({ id: 'failed' });
});
