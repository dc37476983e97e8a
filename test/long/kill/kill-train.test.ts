// The engine is killed, as by `kill -9`, while batches are on the train: at steps over a whole run, and from outside
// exactly while a gate of a batch, of a part of a red one or of a speculation is at work, or the target has just moved.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Event } from '../../../src/model/event.ts';
import { which } from '../../../src/process/which.ts';
import {
  type CrashPlan,
  crashAt,
  crashProject,
  expectWhole,
  notesOf,
  recover,
  wasKilled,
} from '../../rig/crash.ts';
import { seed, sideBySide } from '../../rig/seed.ts';
import { type Ended, type TestProject, until } from '../../rig.ts';

const tasks = ['a', 'b', 'c', 'd', 'e', 'f'];

/**
 * Red where there is a file `red`. A gate that judges so many tasks waits while `hold-<number>` is on the stage; each notes
 * what it judges, the tree last. Asked by a test it does none of that.
 */
const gate = `stage=$HOME/../stage
set -- $YARD_TASK
if [ $# -gt 0 ]; then
  echo "$* $(git rev-parse 'HEAD^{tree}')" >> "$stage/gates"
  while [ -e "$stage/hold-$#" ]; do sleep 0.02; done
  sleep 0.1
fi
test ! -e red || { echo 'there is a file called red'; exit 1; }
`;

/** The agent of `c` ends when `c-go` is on the stage, so that it need not be the first to queue. */
const whenAsked = 'until [ -e "$stage/c-go" ]; do sleep 0.02; done; echo c > c.txt';

const plan = (slots: number, isRed = true): CrashPlan => ({
  tasks,
  acts: {
    'c-1': isRed ? `${whenAsked}; touch red` : whenAsked,
    'c-2': 'rm -f red',
  },
  options: {
    files: { 'gate.sh': gate },
    config: {
      jobs: 4,
      gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0, slots },
      train: { batch: 8 },
    },
  },
});

/** What no kill may change: every file of the target in the end. */
const endTree = (y: TestProject): string =>
  y.git('ls-tree', 'main', ...tasks.map((id) => `${id}.txt`));

async function expectHome(y: TestProject, end: Ended, where: string): Promise<void> {
  expect(end, where).toMatchObject({ code: 0, stderr: '' });
  await expectWhole(y, tasks);
  expect(y.has('red'), where).toBe(false);
  const files = y.git('ls-tree', '--name-only', 'main', ...tasks.map((id) => `${id}.txt`));
  expect(files, where).toBe(tasks.map((id) => `${id}.txt\n`).join(''));
  for (const id of tasks) expect(y.show(`${id}.txt`), where).toBe(`${id}\n`);
  for (const state of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REBASE_HEAD', 'rebase-merge']) {
    expect(existsSync(join(y.root, '.git', state)), `${where}: ${state}`).toBe(false);
  }
  expect(y.git('ls-files', '--unmerged'), where).toBe('');
}

/** One whole life. Undefined where the run was over before it came to the step. */
async function life(step: number): Promise<string | undefined> {
  const y = crashProject(plan(2));
  y.signal('c-go');
  const where = `killed at step ${step}`;
  try {
    const run = await y.ymWith({ env: crashAt(step) }, 'run', y.plan);
    const end = wasKilled(run) ? await recover(y) : run;
    await expectHome(y, end, where);
    const tree = endTree(y);
    expect(await y.dispose(), where).toEqual([]);
    return wasKilled(run) ? tree : undefined;
  } catch (error) {
    await y.dispose();
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${where}: ${message}`, { cause: error });
  }
}

/** So far apart that a whole run of some 230 steps is killed about ten times, at other steps each time. */
const stride = 26;

test('six tasks of which one is red land once each, wherever the run is killed', async () => {
  const { value } = seed();
  const first = value % stride;
  console.log(`every ${stride}th step from ${first} on, seed ${value}`);
  const lanes = 2;
  const trees = await sideBySide(lanes, async (lane) => {
    const found: string[] = [];
    for (let step = first + lane * stride; ; step += lanes * stride) {
      const tree = await life(step);
      if (tree === undefined) return found;
      found.push(tree);
    }
  });
  console.log(`${trees.flat().length} kills`);
  expect(new Set(trees.flat()).size).toBe(1);
  expect(trees.flat().length).toBeGreaterThan(5);
}, 300_000);

const holds = ['hold-1', 'hold-2', 'hold-3', 'hold-4', 'hold-5', 'hold-6'];

/** A project in which every gate waits, and `a`, `b` and `c` go before the others. */
function projectOf(slots: number, isRed = true): TestProject {
  const y = crashProject(plan(slots, isRed));
  y.writeTasks(tasks.map((id) => ({ id, priority: ['a', 'b', 'c'].includes(id) ? 1 : 2 })));
  for (const hold of holds) y.signal(hold);
  onTestFinished(async ({ task }) => {
    const problems = await y.dispose();
    if (problems.length > 0 && task.result?.state !== 'fail') throw new Error(problems.join('\n'));
  });
  return y;
}

const letGo = (y: TestProject, hold: string): void => rmSync(join(y.stage, hold), { force: true });

interface Judged {
  readonly ids: readonly string[];
  readonly tree: string;
}

/** What the gates have judged, in the order of their starts. */
function gatesOf(y: TestProject): readonly Judged[] {
  const file = join(y.stage, 'gates');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => {
    const words = line.split(' ');
    return { ids: words.slice(0, -1), tree: words.at(-1) ?? '' };
  });
}

const queued = (events: readonly Event[]): number =>
  events.filter(({ type }) => type === 'gate-skipped').length;

/** Lets `c` queue when all others do, and waits for it. */
async function allQueued(y: TestProject): Promise<void> {
  // Read from the store, since a `ym` for each look would be most of what the machine does.
  const are = (count: number) => async () =>
    y.has('.git/yardmaster/yard.db') && queued(await y.events()) === count;
  await until(are(tasks.length - 1), 'all others on the train');
  y.signal('c-go');
  await until(are(tasks.length), 'all on the train');
}

const built = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'candidate-built' ? [event] : []));

/** Kills the run now, lets all gates go, and looks at what the next one makes of it. */
async function killAndRecover(
  y: TestProject,
  run: ReturnType<TestProject['start']>,
): Promise<void> {
  run.signal('SIGKILL');
  await run.end();
  y.signal('c-go');
  for (const hold of holds) letGo(y, hold);
  await expectHome(y, await recover(y), 'killed from outside');
  expect(notesOf(y, 'starts')).toHaveLength(tasks.length + 1);
}

/** Lets those land that go alone, and waits until the gate of the first batch is at work. Returns what that judges. */
async function untilBatch(y: TestProject): Promise<Judged> {
  await allQueued(y);
  letGo(y, 'hold-1');
  const isBatch = ({ ids }: Judged) => ids.length > 1;
  await until(() => gatesOf(y).some(isBatch), 'the gate of a batch');
  const batch = gatesOf(y).find(isBatch) ?? { ids: [], tree: '' };
  expect(batch.ids).toContain('c');
  return batch;
}

/** How often a gate was run on this very tree. */
const asked = (y: TestProject, { tree }: Judged): number =>
  gatesOf(y).filter((other) => other.tree === tree).length;

test('killed while the gate of a batch is at work, which is followed to its end and not run again', async () => {
  const y = projectOf(1);
  const run = y.start('run', y.plan);
  const batch = await untilBatch(y);
  await killAndRecover(y, run);
  expect(asked(y, batch)).toBe(1);
});

test('killed while a part of a red batch is judged; what was found out is not asked again', async () => {
  const y = projectOf(1);
  const run = y.start('run', y.plan);
  const batch = await untilBatch(y);
  const before = gatesOf(y).length;
  y.signal('hold-1');
  letGo(y, `hold-${batch.ids.length}`);
  await until(() => gatesOf(y).length > before, 'the gate of a part');
  const part = gatesOf(y)[before] ?? batch;
  expect(part.ids).toEqual(batch.ids.slice(0, part.ids.length));
  expect(part.ids.length).toBeLessThan(batch.ids.length);
  await killAndRecover(y, run);
  expect([asked(y, batch), asked(y, part)]).toEqual([1, 1]);
});

test('killed while a gate speculates on what another gate has not judged yet', async () => {
  const y = projectOf(2);
  const run = y.start('run', y.plan);
  await until(() => gatesOf(y).length === 2, 'two gates at work');
  const [first, second] = built(await y.events());
  expect(second?.on).toBe(first?.candidate);
  expect(y.landings()).toEqual({});
  await killAndRecover(y, run);
});

/**
 * A git in front of the real one, which kills the engine before or after the target moves for the second time, or both
 * itself and the engine in the middle of the first file.
 */
function deadlyGit(
  y: TestProject,
  moment: 'before' | 'between' | 'after',
): Readonly<Record<string, string>> {
  return gitInFront(
    y,
    ({ real, stage }) => `#!/bin/sh
case " $* " in *' merge --ff-only '*) ;; *) exec '${real}' "$@" ;; esac
echo "$PPID" >> '${stage}/moves'
deadly=no; [ "$(wc -l < '${stage}/moves')" -eq 2 ] && deadly=${moment}
[ $deadly != before ] || kill -9 $PPID
if [ $deadly = between ]; then
  for commit in "$@"; do :; done
  : > "$GIT_INDEX_FILE.lock"
  '${real}' diff --name-only --no-renames HEAD "$commit" | head -1 | while read -r file; do
    '${real}' show "$commit:$file" | head -c 1 > "$file"
  done
  kill -9 $PPID; kill -9 $$
fi
'${real}' "$@"; status=$?
[ $deadly != after ] || kill -9 $PPID
exit $status
`,
  );
}

/** Puts a shell script in front of the real git, and returns the environment in which it is found. */
function gitInFront(
  y: TestProject,
  script: (paths: { readonly real: string; readonly stage: string }) => string,
): Readonly<Record<string, string>> {
  const real = which('git', process.env.PATH ?? '', y.root);
  if (!real.ok) throw new Error(real.cause);
  const bin = join(y.base, 'bin');
  mkdirSync(bin);
  const git = join(bin, 'git');
  writeFileSync(git, script({ real: real.file, stage: y.stage }));
  chmodSync(git, 0o755);
  return { PATH: `${bin}${delimiter}${process.env.PATH}` };
}

test.each(['before', 'after'] as const)(
  'killed right %s the target moves to a whole batch, which then counts as landed once',
  async (moment) => {
    const y = projectOf(1, false);
    const run = y.startWith({ env: deadlyGit(y, moment) }, 'run', y.plan);
    await allQueued(y);
    for (const hold of holds) letGo(y, hold);
    expect(wasKilled(await run.end())).toBe(true);
    expect(readFileSync(join(y.stage, 'moves'), 'utf8').split('\n')).toContain(String(run.pid));
    const noted = (await y.events()).flatMap((event) =>
      event.type === 'landed' ? event.entries.map(({ id }) => id) : [],
    );
    // The git that was moving the target when its parent died may still be at it.
    await until(() => y.landed().length > noted.length, 'a landing that nobody has noted');
    expect(y.landed().slice(0, noted.length)).toEqual(noted);
    expect(y.landed().length - noted.length, 'tasks of the batch').toBeGreaterThan(1);
    await expectHome(y, await recover(y), `killed ${moment} it`);
    expect(notesOf(y, 'starts')).toHaveLength(tasks.length);
  },
);

test('killed together with git in the middle of a file of the checkout, which is made whole', async () => {
  const y = projectOf(1, false);
  const run = y.startWith({ env: deadlyGit(y, 'between') }, 'run', y.plan);
  await allQueued(y);
  for (const hold of holds) letGo(y, hold);
  expect(wasKilled(await run.end())).toBe(true);
  expect(existsSync(join(y.root, '.git', 'index.lock'))).toBe(true);
  expect(y.git('status', '--porcelain')).not.toBe('');
  await expectHome(y, await recover(y), 'killed in a file');
  expect(existsSync(join(y.root, '.git', 'index.lock'))).toBe(false);
  expect(notesOf(y, 'starts')).toHaveLength(tasks.length);
});

test('killed together with git, which has merged some files of the target into returned work', async () => {
  const y = crashProject(plan(1));
  onTestFinished(async () => {
    expect(await y.dispose()).toEqual([]);
  });
  const env = gitInFront(
    y,
    ({ real, stage }) => `#!/bin/sh
case " $* " in *' merge --no-commit '*) ;; *) exec '${real}' "$@" ;; esac
mkdir '${stage}/merging' 2>/dev/null || exec '${real}' "$@"
for commit in "$@"; do :; done
kill -9 $PPID
exec '${real}' checkout -q "$commit" -- a.txt b.txt
`,
  );
  const run = y.startWith({ env }, 'run', y.plan);
  await until(() => y.landed().length === tasks.length - 1, 'all others on the target');
  y.signal('c-go');
  expect(wasKilled(await run.end())).toBe(true);
  const end = await recover(y);
  await expectHome(y, end, 'killed in a merge');
  expect(end.stdout).not.toContain('tampering');
});
