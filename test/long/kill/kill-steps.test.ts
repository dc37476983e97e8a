// The program kills itself, as `kill -9` would, before the first and after every call that may change something outside,
// one step after the other; then it is started again as the documentation says. What must hold is the same for every step.
import { expect, onTestFinished, test } from 'vitest';
import { type CrashPlan, everyStep, oneTask } from '../../rig/crash.ts';
import { hasPostgres, ownPostgres } from '../../rig/postgres.ts';
import { hasSandbox, inSandbox } from '../../rig/sandbox.ts';
import { seed, sideBySide } from '../../rig/seed.ts';

const minutes = 60_000;

test(
  'a task lands once, by one agent start, wherever the run is killed',
  async () => {
    const lanes = 3;
    const kills = await sideBySide(lanes, (lane) =>
      everyStep(lane, lanes, { plan: oneTask, starts: 1 }),
    );
    const total = kills.reduce((sum, count) => sum + count, 0);
    console.log(`${total} steps, each killed once`);
    // Fewer would mean that the steps are not what they were: the ports are not counted any more.
    expect(total).toBeGreaterThan(25);
  },
  5 * minutes,
);

/** The same with dependencies that are installed, copied for the gate and kept for the next run. */
const installing: CrashPlan = {
  tasks: ['a'],
  options: {
    files: { '.gitignore': 'node_modules/\n', 'package-lock.json': '{}\n' },
    config: {
      gate: { commands: ['sh gate.sh', 'test -e node_modules/x/y'] },
      worktree: { setup: ['mkdir -p node_modules/x && touch node_modules/x/y'] },
    },
  },
};

test(
  'a recovery may be killed as well',
  async () => {
    const { value, random } = seed();
    const kills = await everyStep(value % 6, 6, {
      plan: installing,
      starts: 1,
      againAt: () => [random(15), random(10)],
    });
    console.log(`${kills} steps, each killed three times, seed ${value}`);
    expect(kills).toBeGreaterThan(4);
  },
  2 * minutes,
);

test.runIf(hasSandbox)(
  'a task in the sandbox lands once, wherever the run is killed',
  async () => {
    const { value } = seed();
    const stride = 5;
    const plan: CrashPlan = { tasks: ['a'], options: { config: inSandbox } };
    const kills = await everyStep(value % stride, stride, { plan, starts: 1 });
    console.log(`${kills} steps in the sandbox, each killed once, seed ${value}`);
    expect(kills).toBeGreaterThan(4);
  },
  2 * minutes,
);

// reason: the server is not installed everywhere.
test.runIf(hasPostgres)(
  'a task with its records in Postgres lands once, wherever the run is killed',
  async () => {
    const { value } = seed();
    const lanes = 2;
    const stride = 3;
    const server = await ownPostgres();
    onTestFinished(() => server.end());
    const kills = await sideBySide(lanes, (lane) =>
      everyStep((value % stride) + lane * stride, lanes * stride, {
        starts: 1,
        // Every project has a database of its own.
        plan: async () => {
          const YARDMASTER_STORE = await server.database();
          return { tasks: ['a'], options: { env: { YARDMASTER_STORE } } };
        },
      }),
    );
    const total = kills.reduce((sum, count) => sum + count, 0);
    console.log(`${total} steps with Postgres, each killed once, seed ${value}`);
    expect(total).toBeGreaterThan(8);
  },
  3 * minutes,
);

/** Green alone and red together: whoever comes second goes back to its agent, in the tree that was red. */
const redTogether: CrashPlan = {
  tasks: ['rename', 'use'],
  acts: {
    'rename-1': 'git mv names/total names/sum',
    'rename-2': 'for use in uses/*; do echo sum > "$use"; done',
    'use-1': 'mkdir -p uses; echo total > uses/x',
    'use-2': 'echo sum > uses/x',
  },
};

const resolve = 'printf "p\\nq\\n" > same.txt';

/** Both write the same line, so the second cannot be merged and its agent resolves it. */
const inConflict: CrashPlan = {
  tasks: ['p', 'q'],
  acts: {
    'p-1': 'echo p > same.txt',
    'q-1': 'echo q > same.txt',
    'p-2': resolve,
    'q-2': resolve,
  },
};

test.each([
  ['two tasks that are red together', { plan: redTogether, starts: 3 }],
  // Killed early, the second may begin after the first has landed, and then there is no conflict.
  ['two tasks in conflict', { plan: inConflict }],
])(
  '%s both land, wherever the run is killed',
  async (_, cycle) => {
    const stride = 7;
    const { value } = seed();
    const first = value % stride;
    console.log(`every ${stride}th step from ${first} on, seed ${value}`);
    const lanes = 2;
    const kills = await sideBySide(lanes, (lane) =>
      everyStep(first + lane * stride, lanes * stride, cycle),
    );
    expect(kills.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(8);
  },
  3 * minutes,
);

test(
  'of two variants of a task one lands, wherever the run is killed',
  async () => {
    const stride = 12;
    const { value } = seed();
    const plan: CrashPlan = {
      tasks: ['a'],
      options: { config: { attempts: { best_of: 2 } }, leaves: ['branches'] },
    };
    const cycle = { plan, starts: 2, variants: 2 };
    const kills = await everyStep(value % stride, stride, cycle);
    console.log(`${kills} steps with two variants, each killed once, seed ${value}`);
    expect(kills).toBeGreaterThan(2);
  },
  2 * minutes,
);
