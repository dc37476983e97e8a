import {
  askToHold,
  type Hold,
  heldAttempt,
  keepHold,
  release,
  sessionFor,
  untilHeld,
} from '../app/attach.ts';
import type { Opened } from '../app/ports.ts';
import { type Failure, ok, type Result, usage } from '../model/failure.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import { openShell, runForeground } from '../wire/foreground.ts';
import { nextStep, type Outcome, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm, screenOf } from './screen.ts';

/** Lets a person work in the worktree of an attempt while its agent is paused. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'write', async (opened): Promise<Outcome> => {
    const id = call.args[0] ?? '';
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      const remedy = `Use a terminal, or write to the agent with \`ym tell ${id} TEXT\`.`;
      return usage('there is no terminal to open a session in', remedy);
    }
    const hold = await askToHold(opened, id);
    if (!hold.ok) return hold;
    // Without a listener, one Ctrl-C too many on leaving the session would end this process before it releases.
    const late = (): void => undefined;
    process.on('SIGINT', late);
    const over = new AbortController();
    const kept = keepHold(opened, hold.value, over.signal);
    const ended = await settled(work(call, opened, hold.value));
    over.abort();
    await kept;
    const released = await release(opened, hold.value);
    process.off('SIGINT', late);
    if (!ended.ok) return ended;
    if (!released.ok) return released;
    if (ended.value === 'canceled') return ok(4);
    return confirm(call, [`You left ${id}; ${nextStep(released.value)}.`]);
  });
}

/** Waits until the attempt is held, opens a session in its worktree, and returns when the person leaves it. */
async function work(
  call: Call,
  opened: Opened,
  hold: Hold,
): Promise<Result<'left' | 'canceled', Failure | readonly Failure[]>> {
  const { task: id } = hold;
  const screen = screenOf(call);
  const canceled = new AbortController();
  const cancel = (): void => canceled.abort();
  process.on('SIGINT', cancel);
  const now = await heldAttempt(opened, hold);
  if (now.ok && now.value === undefined) {
    screen.lines([`Interrupting the agent of ${id}. Ctrl-C cancels.`]);
  }
  const attempt = now.ok ? await untilHeld(opened, hold, canceled.signal) : now;
  process.off('SIGINT', cancel);
  if (!attempt.ok) return attempt;
  if (attempt.value === undefined) return ok('canceled');
  const session = await sessionFor(opened, id, attempt.value);
  if (!session.ok) return session;
  const isShell = session.value.id === 'shell';
  const name = session.value.id === 'shell' ? 'your shell' : `\`${session.value.name}\``;
  screen.lines([
    `${id} is paused for you. Opening ${name} in ${session.value.cwd}`,
    `Leave it ${isShell ? 'with `exit`' : 'as usual'}; the agent of ${id} then continues with what is there.`,
  ]);
  if (session.value.id === 'shell' && session.value.replaced !== undefined) {
    screen.lines([
      `The agent changed git settings or hooks of this folder. They were reset; its versions are in ${session.value.replaced}`,
    ]);
  }
  const left =
    session.value.id === 'shell'
      ? await openShell(session.value.cwd, { trusted: false })
      : await outcomeOf(runForeground(session.value));
  return left.ok ? ok('left') : left;
}
