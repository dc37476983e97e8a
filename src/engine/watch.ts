import { trespasses } from '../guard/trespasses.ts';
import type { Trespass } from '../model/breach.ts';
import type { EventBody } from '../model/event.ts';
import type { ProcessEnd } from '../process/processes.ts';
import { keepRef } from '../worktree/branch.ts';
import type { Work } from './attempt.ts';
import type { Ports, Yard } from './yard.ts';

/**
 * Looks at what lies outside of the worktrees before an agent works and after it, and says what changed. Nobody can tell
 * who changed it where several work at once: each of them is told of.
 */
export async function watched(
  { guard }: Ports,
  yard: Yard,
  { task, attempt }: Work,
  run: () => Promise<ProcessEnd>,
): Promise<{ readonly end: ProcessEnd; readonly found: readonly Trespass[] }> {
  const before = await guard.look();
  const end = await run();
  const after = await guard.look();
  const own = [`refs/heads/${attempt.branch}`, keepRef(yard.run, task.id, attempt.number)];
  // Landings move the target, and the other attempts move their own branches.
  const expected = [`refs/heads/${yard.target}`, 'refs/heads/yard/', 'refs/yard/', 'refs/remotes/'];
  return { end, found: trespasses(before, after, own, expected) };
}

/**
 * Whether the worktree of finished work is as its agent left it. What lands is the commit that was made of it then, so
 * somebody else's hand in it does no harm; it is told all the same. A gate that ran there may have left files of its own.
 */
export async function touched(
  { git }: Ports,
  yard: Yard,
  { task, attempt }: Work,
  commit: string,
): Promise<readonly EventBody[]> {
  const dir = attempt.worktree?.dir;
  if (dir === undefined) return [];
  const status = await git.status(dir);
  if (!status.ok) return [];
  const { head, dirty } = status.value;
  if (head === commit && !(dirty && attempt.spared === true)) return [];
  const found = [{ kind: 'worktree-changed', task: task.id, dir } as const];
  const of = { run: yard.run, id: task.id, attempt: attempt.number, turn: attempt.turns };
  return [{ type: 'trespass-seen', ...of, found }];
}
