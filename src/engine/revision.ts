import type { CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { type PlanChanges, type RevisionOutcome, revisionLimits } from '../model/revision.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import type { TurnResult } from '../model/turn.ts';
import { type Events, type Ports, type RunContext, revisionsDir } from './context.ts';
import { askInRun } from './one-shot.ts';

const promptName = 'prompt.md';
const interrupted: Failure = { kind: 'interrupted', by: 'the engine, because the run is ending' };

/** Files of one call: the prompt, and a worktree of the target that the agent reads. */
function placeOf(context: Pick<RunContext, 'dir'>, call: number) {
  const dir = revisionsDir(context);
  const name = `call-${call}`;
  return { dir, name, folder: `${dir}/${name}`, worktree: `${dir}/${name}/tree` };
}

/**
 * Asks an agent to revise the plan, or follows the process that is already running. Its answer is checked against the
 * tasks as they are then. Whatever goes wrong is part of the result: a run never fails because of a revision, and never
 * waits for one when it ends.
 */
export async function revisePlan(
  ports: Ports,
  context: RunContext,
  command: CommandOf<'revise-plan'>,
): Promise<Result<Events>> {
  const { call, task: id, agent, apply, wanted } = command;
  const { dir, name, worktree } = placeOf(context, call);
  const ended = (outcome: RevisionOutcome, result?: TurnResult): EventBody => {
    const of = { usage: result?.usage, model: result?.model };
    return { type: 'plan-proposed', run: context.run, id, call, agent, outcome, ...of };
  };
  const failed = (failure: Failure, result?: TurnResult): Result<Events> =>
    ok([ended({ id: 'failed', failure }, result)]);
  if (!wanted && !ports.processes.hasBegun(dir, name)) return failed(interrupted);
  const result = await settled(answerTo(ports, context, command));
  // Remaining files of it are removed with those of the run.
  await outcomeOf(ports.git.removeWorktree(worktree));
  if (!result.ok) return failed(result.failure);
  const facts = result.value;
  if (!facts.ok) return failed(facts.failure, facts);
  const known = await ports.store.tasks();
  if (!known.ok) return failed(known.failure, facts);
  const changes = ports.reviser.changes(facts.answer ?? '', known.value, { agent, task: id });
  if (!changes.ok) return failed(changes.failure, facts);
  const { added, changed, canceled } = changes.value;
  if (added.length + changed.length + canceled.length === 0) {
    return ok([ended({ id: 'unchanged' }, facts)]);
  }
  const proposed = ended({ id: 'proposed', ...changes.value }, facts);
  if (!apply) return ok([proposed]);
  const accept: EventBody = { type: 'task-decided', id, decision: { kind: 'approve', by: 'run' } };
  return ok([proposed, ...eventsFor(changes.value), accept]);
}

export function eventsFor({ added, changed, canceled }: PlanChanges): readonly EventBody[] {
  return [
    ...added.map((task): EventBody => ({ type: 'task-added', task })),
    ...changed.map((task): EventBody => ({ type: 'task-changed', task })),
    ...canceled.map(({ id, reason }): EventBody => {
      return { type: 'task-decided', id, decision: { kind: 'cancel', reason } };
    }),
  ];
}

async function answerTo(
  ports: Ports,
  context: RunContext,
  { call, task, message, ...asked }: CommandOf<'revise-plan'>,
): Promise<Result<TurnResult>> {
  const { dir, name, folder, worktree } = placeOf(context, call);
  let prompt = '';
  if (!ports.processes.hasBegun(dir, name)) {
    const known = await ports.store.tasks();
    if (!known.ok) return known;
    const made = await makeWorktree(ports, context, worktree);
    if (!made.ok) return made;
    const canRead = ports.agent(asked.agent)?.oneShotOnly !== true;
    prompt = ports.reviser.question(known.value, { task, message }, canRead);
    await ports.processes.write(folder, promptName, prompt);
  }
  const of = { step: 'revision', subject: task, dir, name, cwd: worktree, call } as const;
  const { wallMs } = revisionLimits;
  const file = { prompt, promptFile: `${folder}/${promptName}` };
  return ok(await askInRun(ports, context, { ...asked, ...of, ...file, wallMs }));
}

async function makeWorktree(
  { git }: Ports,
  { target }: RunContext,
  worktree: string,
): Promise<Result<void>> {
  const tip = await git.resolve(`refs/heads/${target}`);
  if (tip === undefined) return fail({ kind: 'target-missing', branch: target });
  return ok(await git.addWorktree(worktree, tip));
}

/** Ends the call of a run that died, and removes its worktree. */
export async function dropRevision(
  { git, processes }: Pick<Ports, 'git' | 'processes'>,
  context: Pick<RunContext, 'dir'>,
  call: number,
): Promise<void> {
  const { dir, worktree } = placeOf(context, call);
  await processes.endIn(dir);
  await outcomeOf(git.removeWorktree(worktree));
}
