import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt } from '../model/attempt.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Owner } from '../model/run.ts';
import type { Decision, TaskId } from '../model/task.ts';
import { holderGone, isSameOwner } from '../plan/fold-hold.ts';
import { limits } from '../plan/limits.ts';
import type { TaskRecord } from '../plan/record.ts';
import type { Store } from '../record/store.ts';
import { attachable } from '../report/task/attach.ts';
import { isAlive, personsSession, self } from '../wire/attach.ts';
import { isUnderWay } from '../wire/driven.ts';
import { goesOnBy, type Opened, taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { byPerson } from './person.ts';
import { screenOf } from './screen.ts';

type Ended = Result<number, Failure | readonly Failure[]>;

/** A person works in the worktree of an attempt while its agent is paused. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened): Promise<Ended> => {
    const person = await byPerson(opened.store, call.command);
    if (!person.ok) return person;
    const id = call.args[0] ?? '';
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      const remedy = `Type it in a terminal, or write to the agent with \`ym tell ${id} TEXT\`.`;
      return usage('there is no terminal to open a session on', remedy);
    }
    const by = self();
    const asked = await askFor(opened.store, id, by);
    if (!asked.ok) return asked;
    // Whatever happens from here on, the attempt must not stay held by a process that is gone.
    const ended = await work(call, opened, id, by);
    const released = await decide(opened.store, id, { kind: 'release', by });
    if (!ended.ok) return ended;
    if (!released.ok) return released;
    if (ended.value === 'taken-back') return ok(4);
    const line = `You left ${id}; ${await goesOnBy(opened.store)}.`;
    if (!call.global.quiet) screenOf(call).lines([line]);
    return ok(0);
  });
}

/** Asks to hold the attempt; one whose holder is gone is let go first. */
async function askFor(store: Store, id: TaskId, by: Owner): Promise<Result<void>> {
  const record = await attachableTask(store, id);
  if (!record.ok) return record;
  const { attempt } = record.value;
  if (attempt === undefined) return gone(id);
  const gonePerson = attempt.hold === undefined ? [] : [holderGone(id, attempt.hold.by)];
  const hold = { kind: 'hold', attempt: attempt.number, by } as const;
  const stored = await store.append(Date.now(), [
    ...gonePerson,
    { type: 'task-decided', id, decision: hold },
  ]);
  return stored.ok ? ok(undefined) : stored;
}

/** Waits for the worktree, and for the person to leave it. */
async function work(
  call: Call,
  { project, store }: Opened,
  id: TaskId,
  by: Owner,
): Promise<Result<'left' | 'taken-back', Failure | readonly Failure[]>> {
  const attempt = await untilHeld(call, store, id, by);
  if (!attempt.ok) return attempt;
  if (attempt.value === undefined) return ok('taken-back');
  const session = await personsSession(project, attempt.value);
  if (!session.ok) return session;
  const { what, leave, open } = session.value;
  const dir = attempt.value.worktree?.dir ?? '';
  screenOf(call).lines([
    `${id} is held by you. Opening ${what} in ${dir}`,
    `Leave it ${leave}; the agent of ${id} then goes on with what is there.`,
  ]);
  const left = await open();
  return left.ok ? ok('left') : left;
}

/** The attempt once it is held by us; undefined if the person has taken the wish back. */
async function untilHeld(
  call: Call,
  store: Store,
  id: TaskId,
  by: Owner,
): Promise<Result<Attempt | undefined>> {
  let isTakenBack = false;
  const takeBack = (): void => {
    isTakenBack = true;
  };
  process.on('SIGINT', takeBack);
  try {
    for (let isTold = false; !isTakenBack; ) {
      const record = await taskNamed(store, id);
      if (!record.ok) return record;
      const { attempt } = record.value;
      if (attempt?.hold === undefined || !isSameOwner(attempt.hold.by, by)) {
        const why = await attachableTask(store, id);
        return why.ok ? gone(id) : why;
      }
      if (attempt.state.id === 'held') return ok(attempt);
      if (!(await isDriven(store, record.value))) return stopped(id);
      if (!isTold) {
        const line = `Interrupting the agent of ${id}. Ctrl-C takes the request back.`;
        screenOf(call).lines([line]);
        isTold = true;
      }
      await sleep(limits.followMs);
    }
    return ok(undefined);
  } finally {
    process.off('SIGINT', takeBack);
  }
}

/** The task, or why nobody can work in its worktree now. */
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
  usage(`${id} could not be held: its turn came to an end`, `See \`ym why ${id}\`.`);
const stopped = (id: TaskId): Result<never> =>
  usage(`the run of ${id} has stopped meanwhile`, 'Type `ym resume` and try again.');

function usage(problem: string, remedy: string): Result<never> {
  return fail({ kind: 'usage', problem, remedy });
}
