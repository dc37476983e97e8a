// A check that says now this and now that about one and the same tree: it costs nobody their work, and it never makes
// red green in silence.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import {
  type Action,
  type TestProject,
  type TestProjectOptions,
  testProject,
  write,
} from '../rig.ts';

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

test('a check that is red and then green on one tree: the work lands, and the flake is on record', async () => {
  const y = testProject({ ...withGate(both), tasks: [{ id: 'a' }], script: { a: work('a') } });
  y.signal('flake');
  const ended = await run(y);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({ a: 1 });
  const [flake, ...others] = await eventsOf(y, 'check-flaked');
  expect(others).toEqual([]);
  expect(flake).toMatchObject({ command: flaky, tree: y.tip('main^{tree}') });
  // What it printed when it was red can still be read.
  expect(readFileSync(flake?.log ?? '', 'utf8')).toContain('the socket timed out');
  const [judged] = await eventsOf(y, 'candidate-judged');
  expect(judged?.verdict).toMatchObject({ id: 'passed', flaked: [flaky] });
  expect(ended.stdout).toMatch(/flaky .*sh moody\.sh/);
  expect((await y.ym('summary')).stdout).toContain(
    'flaky       "sh moody.sh" failed, then passed on the same tree, 1 time',
  );
  expect((await y.ym('why', 'a')).stdout).toMatch(/passed, sh moody\.sh passed only when rerun/);
});
