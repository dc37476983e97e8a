import type { Landing } from '../gate/culprit.ts';
import { fixTask } from '../gate/fix-task.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { gateSlots } from '../plan/gates.ts';
import type { State } from '../plan/state.ts';
import type { Ports, Yard } from './context.ts';
import { verify } from './verify.ts';

/** Looks at what the run has made of the target, and files a task for what it finds where that is wanted. */
export async function performVerify(
  ports: Ports,
  yard: Yard,
  state: State,
): Promise<Result<readonly EventBody[]>> {
  const run = state.run(yard.run);
  const policy = run?.settings.verify;
  if (run === undefined || policy === undefined) return ok([]);
  const { command, reason, budgetMs } = yard.verify;
  const tip = await ports.git.resolve(`refs/heads/${yard.target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: yard.target });
  const since = ports.clock.now();
  const slot = gateSlots(run.settings);
  const tree = await ports.pool.gateTree(slot);
  if (!tree.ok) return tree;
  const seen = await verify(ports, yard, {
    commit: tip.value,
    budgetMs,
    dir: yard.dir,
    again: `${run.landed}-${run.resumedAt ?? run.startedAt}-`,
    policy,
    landings: await landingsOf(ports, yard),
    worktree: tree.value.dir,
    slot,
    ...(command === undefined ? {} : { command }),
    ...(reason === undefined ? {} : { reason }),
  });
  if (!seen.ok || seen.value === undefined) return seen.ok ? ok([]) : seen;
  const outcome = seen.value;
  const verified = { type: 'run-verified', run: yard.run, outcome, since } as const;
  const isBad = outcome.kind === 'failed' || outcome.kind === 'timed-out';
  if (policy !== 'fix' || !isBad) return ok([verified]);
  const task = fixTask(outcome, yard.run, `${yard.dir}/verify.log`);
  return ok(
    state.task(task.id) === undefined ? [verified, { type: 'task-added', task }] : [verified],
  );
}

/** What landed in this run, oldest first, each branch by itself, also where several landed at once. */
async function landingsOf({ store }: Ports, { run }: Yard): Promise<readonly Landing[]> {
  const log = await store.events({ run });
  const links = new Map<string, string>();
  const landings: Landing[] = [];
  for (const event of log.ok ? log.value : []) {
    if (event.type === 'candidate-built') {
      const made = event.links ?? [event];
      for (const [at, car] of event.cars.entries()) {
        links.set(`${event.candidate} ${car.id}`, made[at]?.commit ?? event.commit);
      }
    }
    if (event.type !== 'landed') continue;
    let { from } = event;
    for (const { id, riders = [] } of event.cars) {
      const commit = links.get(`${event.candidate} ${id}`) ?? event.commit;
      landings.push({ commit, from, tasks: [id, ...riders] });
      from = commit;
    }
  }
  return landings;
}
