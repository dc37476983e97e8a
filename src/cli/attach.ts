import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt } from '../model/attempt.ts';
import { type Failure, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Owner } from '../model/run.ts';
import type { Decision, TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { holderGone, isSameOwner } from '../plan/fold-hold.ts';
import type { Store } from '../port/store.ts';
import { attachable } from '../report/task/attach.ts';
import { isAlive, self, sessionFor } from '../wire/attach.ts';
import { isUnderWay } from '../wire/driven.ts';
import { asPerson, nextStep, type Opened, type Outcome, taskNamed } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, screenOf } from './screen.ts';

/** Lets a person work in the worktree of an attempt while its agent is paused. */
export function run(call: Call): Promise<number> {
  return asPerson(call, async (opened): Promise<Outcome> => {
    const id = call.args[0] ?? '';
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      const remedy = `Use a terminal, or write to the agent with \`ym tell ${id} TEXT\`.`;
      return usage('there is no terminal to open a session in', remedy);
    }
    const by = self();
    const asked = await askFor(opened.store, id, by);
    if (!asked.ok) return asked;
    // From here on the attempt must be released in any case.
    const ended = await work(call, opened, id, by);
    const released = await decide(opened.store, id, { kind: 'release', by });
    if (!ended.ok) return ended;
    if (!released.ok) return released;
    if (ended.value === 'canceled') return ok(4);
    return confirm(call, [`You left ${id}; ${await nextStep(opened.store)}.`]);
  });
}

/** Asks to hold the attempt. Releases it first if its holder is gone. */
async function askFor(store: Store, id: TaskId, by: Owner): Promise<Result<void>> {
  const record = await attachableTask(store, id);
  if (!record.ok) return record;
  const { attempt } = record.value;
  if (attempt === undefined) return gone(id);
  const release = attempt.hold === undefined ? [] : [holderGone(id, attempt.hold.by)];
  const hold = { kind: 'hold', attempt: attempt.number, by } as const;
  const stored = await store.append(Date.now(), [
    ...release,
    { type: 'task-decided', id, decision: hold },
  ]);
  return stored.ok ? ok(undefined) : stored;
}

/** Waits until the attempt is held, opens a session in its worktree, and returns when the person leaves it. */
async function work(
  call: Call,
  { project, store }: Opened,
  id: TaskId,
  by: Owner,
): Promise<Result<'left' | 'canceled', Failure | readonly Failure[]>> {
  const attempt = await untilHeld(call, store, id, by);
  if (!attempt.ok) return attempt;
  if (attempt.value === undefined) return ok('canceled');
  const session = await sessionFor(project, attempt.value);
  if (!session.ok) return session;
  const { name, leave, open } = session.value;
  const dir = attempt.value.worktree?.dir ?? '';
  screenOf(call).lines([
    `${id} is paused for you. Opening ${name} in ${dir}`,
    `Leave it ${leave}; the agent of ${id} then continues with what is there.`,
  ]);
  const left = await open();
  return left.ok ? ok('left') : left;
}

/** The attempt once it is held; undefined if the person canceled with Ctrl-C. */
async function untilHeld(
  call: Call,
  store: Store,
  id: TaskId,
  by: Owner,
): Promise<Result<Attempt | undefined>> {
  let isCanceled = false;
  const cancel = (): void => {
    isCanceled = true;
  };
  process.on('SIGINT', cancel);
  try {
    for (let isAnnounced = false; !isCanceled; ) {
      const record = await taskNamed(store, id);
      if (!record.ok) return record;
      const { attempt } = record.value;
      if (attempt?.hold === undefined || !isSameOwner(attempt.hold.by, by)) {
        const why = await attachableTask(store, id);
        return why.ok ? gone(id) : why;
      }
      if (attempt.state.id === 'held') return ok(attempt);
      if (!(await isDriven(store, record.value))) return stopped(id);
      if (!isAnnounced) {
        const line = `Interrupting the agent of ${id}. Ctrl-C cancels.`;
        screenOf(call).lines([line]);
        isAnnounced = true;
      }
      await sleep(limits.followMs);
    }
    return ok(undefined);
  } finally {
    process.off('SIGINT', cancel);
  }
}

/** The task, or why a person cannot work in its worktree now. */
async function attachableTask(store: Store, id: TaskId): Promise<Result<TaskRecord>> {
  const record = await taskNamed(store, id);
  if (!record.ok) return record;
  const { hold } = record.value.attempt ?? {};
  const isHolderThere = hold !== undefined && isAlive(hold.by);
  const found = attachable(record.value, await isDriven(store, record.value), isHolderThere);
  return found.id === 'yes' ? record : usage(found.because, found.remedy);
}

async function isDriven(store: Store, { attempt }: TaskRecord): Promise<boolean> {
  const run = await store.run(attempt?.run ?? '');
  return run.ok && run.value !== undefined && isUnderWay(run.value);
}

async function decide(store: Store, id: TaskId, decision: Decision): Promise<Result<void>> {
  const stored = await store.append(Date.now(), [{ type: 'task-decided', id, decision }]);
  return stored.ok ? ok(undefined) : stored;
}

const gone = (id: TaskId): Result<never> =>
  usage(`${id} could not be paused: its turn ended`, `See \`ym why ${id}\`.`);
const stopped = (id: TaskId): Result<never> =>
  usage(`the run of ${id} has stopped`, 'Type `ym resume` and try again.');
