import type { Landing } from '../gate/culprit.ts';
import { fixTask } from '../gate/fix-task.ts';
import type { EventBody } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { gateSlots } from '../plan/gates.ts';
import type { State } from '../plan/state.ts';
import type { Ports, RunContext } from './context.ts';
import { verify } from './verify.ts';

/** Looks at what the run has made of the target, and files a task for what it finds where that is wanted. */
export async function performVerify(
  ports: Ports,
  context: RunContext,
  state: State,
): Promise<Result<readonly EventBody[]>> {
  const run = state.run(context.run);
  const policy = run?.settings.verify;
  if (run === undefined || policy === undefined) return ok([]);
  const { command, reason, budgetMs } = context.verify;
  const tip = await ports.git.resolve(`refs/heads/${context.target}`);
  if (!tip.ok) return tip;
  if (tip.value === undefined) return fail({ kind: 'target-missing', branch: context.target });
  const since = ports.clock.now();
  const slot = gateSlots(run.settings);
  const tree = await ports.pool.gateTree(slot);
  if (!tree.ok) return tree;
  const seen = await verify(ports, context, {
    commit: tip.value,
    budgetMs,
    dir: context.dir,
    again: `${run.landed}-${run.resumedAt ?? run.startedAt}-`,
    policy,
    landings: await landingsOf(ports, context),
    worktree: tree.value.dir,
    slot,
    ...(command === undefined ? {} : { command }),
    ...(reason === undefined ? {} : { reason }),
  });
  if (!seen.ok || seen.value === undefined) return seen.ok ? ok([]) : seen;
  const outcome = seen.value;
  const verified = { type: 'run-verified', run: context.run, outcome, since } as const;
  const isBad = outcome.kind === 'failed' || outcome.kind === 'timed-out';
  if (policy !== 'fix' || !isBad) return ok([verified]);
  const task = fixTask(outcome, context.run, `${context.dir}/verify.log`);
  return ok(
    state.task(task.id) === undefined ? [verified, { type: 'task-added', task }] : [verified],
  );
}

/** What landed in this run, oldest first, each branch by itself, also where several landed at once. */
async function landingsOf({ store }: Ports, { run }: RunContext): Promise<readonly Landing[]> {
  const log = await store.events({ run });
  const prefixes = new Map<string, string>();
  const landings: Landing[] = [];
  for (const event of log.ok ? log.value : []) {
    if (event.type === 'candidate-built') {
      const made = event.prefixes ?? [event];
      for (const [at, entry] of event.entries.entries()) {
        prefixes.set(`${event.candidate} ${entry.id}`, made[at]?.commit ?? event.commit);
      }
    }
    if (event.type !== 'landed') continue;
    let { from } = event;
    for (const { id, coClaims = [] } of event.entries) {
      const commit = prefixes.get(`${event.candidate} ${id}`) ?? event.commit;
      landings.push({ commit, from, tasks: [id, ...coClaims] });
      from = commit;
    }
  }
  return landings;
}
