// Single steps of a run, from the times of its events, against the plain git command that does the same.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, timed } from './measure.mjs';
import { copyOf, git, simpleTasks, taskIds, ways, writePlan, ymEnv } from './yard.mjs';

const tasks = 8;

function eventsOf(out) {
  return out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .map((event) => ({ ...event, at: Date.parse(event.at) }));
}

/** One agent after the other, so that no two steps share the machine. Returns the events. */
function quietRun(scratch, repository) {
  const ids = taskIds(tasks);
  // A chain: each starts when the one before has landed and has given its worktree back.
  const chain = simpleTasks(ids).map((task, n) =>
    n === 0 ? task : { ...task, after: [ids[n - 1]] },
  );
  const plan = writePlan(join(scratch, 'plan-chain.json'), chain);
  const { out } = timed(scratch, ways.ym(plan, ids, 1), {
    cwd: repository,
    env: ymEnv(repository),
  });
  return eventsOf(out);
}

/** Milliseconds from a claim to its worktree: the first one is made, the later ones are used again. */
function startTimes(events) {
  const begun = new Map();
  const times = [];
  for (const { type, id, at } of events) {
    if (type === 'attempt-started') begun.set(id, at);
    if (type === 'worktree-ready') times.push(at - begun.get(id));
  }
  return { cold: times.slice(0, 1), warm: times.slice(1) };
}

/** Building a candidate and moving the branch to it, without judging it in between. */
function landingTimes(events) {
  const times = [];
  let queued = 0;
  let built = 0;
  let judged = 0;
  for (const { type, at } of events) {
    // Where the branch is judged by itself at all.
    if (type === 'branch-judged' || type === 'gate-skipped') queued = at;
    if (type === 'candidate-built') built = at - queued;
    if (type === 'candidate-judged') judged = at;
    if (type === 'landed') times.push(built + at - judged);
  }
  return times;
}

function worktreeAdd(scratch, repository, round) {
  const dir = `${repository}.added-${round}`;
  const { wallMs } = timed(scratch, ['git', 'worktree', 'add', '-q', '--detach', dir, 'main'], {
    cwd: repository,
  });
  git(repository, 'worktree', 'remove', '--force', dir);
  return wallMs;
}

/** A merge of a branch with one new file, in the checkout, after the branch it goes to has moved on. */
function mergeInCheckout(scratch, repository, round) {
  const commitFile = (name) => {
    writeFileSync(join(repository, name), 'x\n');
    git(repository, 'add', name);
    git(repository, 'commit', '-q', '-m', name);
  };
  git(repository, 'checkout', '-q', '-b', `side-${round}`);
  commitFile(`side-${round}.txt`);
  git(repository, 'checkout', '-q', '-');
  commitFile(`main-${round}.txt`);
  const args = ['git', 'merge', '-q', '--no-ff', '-m', 'merge', `side-${round}`];
  return timed(scratch, args, { cwd: repository }).wallMs;
}

export function measureSteps(scratch, repositories, count) {
  return repositories.map(({ files, dir }) => {
    const figures = { cold: [], warm: [], land: [], landElsewhere: [], add: [], merge: [] };
    for (let round = 0; round < count; round += 1) {
      const here = copyOf(dir, join(scratch, 'here'));
      const elsewhere = copyOf(dir, join(scratch, 'elsewhere'));
      // With another branch checked out, nothing on the disk has to change for a landing.
      git(elsewhere, 'checkout', '-q', '-b', 'other');
      const events = quietRun(scratch, here);
      const { cold, warm } = startTimes(events);
      figures.cold.push(...cold);
      figures.warm.push(...warm);
      figures.land.push(...landingTimes(events));
      figures.add.push(worktreeAdd(scratch, here, round));
      figures.merge.push(mergeInCheckout(scratch, here, round));
      const ids = taskIds(tasks);
      const plan = join(scratch, 'plan-chain.json');
      const argv = [...ways.ym(plan, ids, 1), '--target', 'main'];
      const { out } = timed(scratch, argv, { cwd: elsewhere, env: ymEnv(elsewhere) });
      figures.landElsewhere.push(...landingTimes(eventsOf(out)));
      for (const copy of [here, elsewhere, `${here}.state`, `${elsewhere}.state`]) {
        rmSync(copy, { recursive: true, force: true });
      }
    }
    const middles = Object.fromEntries(
      Object.entries(figures).map(([name, values]) => [name, median(values)]),
    );
    return { files, ...middles };
  });
}
