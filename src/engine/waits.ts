import type { CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import { parseWait, type Wait } from '../model/wait.ts';
import type { NumberedPull } from '../port/forge.ts';
import type { Ports, RunContext } from './context.ts';

type WaitPorts = Pick<Ports, 'forge' | 'git' | 'outside' | 'clock'>;

/** True if a wait is over, otherwise the reason why not; empty if no reason is known. */
type Answer = true | string;

/** Checks each wait once, however many tasks have it, and asks the forge once for all pull requests. */
export async function checkWaits(
  ports: WaitPorts,
  { run, target }: Pick<RunContext, 'run' | 'target'>,
  command: CommandOf<'check-waits'>,
): Promise<Result<readonly EventBody[]>> {
  const waits = [...new Set(command.waits.map(({ wait }) => wait))];
  const parsed = waits.map(parseWait);
  const numbers = parsed.flatMap((wait) => (wait?.for === 'pull' ? [wait.number] : []));
  const pulls = await ports.forge.numbered(numbers);
  const answers = new Map<string, Answer>();
  const queue = waits.map((wait, at) => ({ wait, what: parsed[at] }));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { wait, what } = next;
      answers.set(wait, await answerTo(ports, target, what, pulls));
    }
  };
  await Promise.all(Array.from({ length: limits.waitCommandsAtOnce }, work));
  const ended: readonly EventBody[] = command.waits
    .filter(({ wait }) => answers.get(wait) === true)
    .map(({ id, wait }) => ({ type: 'wait-over', id, wait }));
  const watched = waits.filter((_, at) => parsed[at]?.for !== 'until');
  if (watched.length === 0) return ok(ended);
  const over = watched.filter((wait) => answers.get(wait) === true);
  const notes = watched.flatMap((wait) => {
    const note = answers.get(wait);
    return typeof note !== 'string' || note === ''
      ? []
      : [{ wait, note: note.slice(0, limits.waitNoteChars) }];
  });
  return ok([{ type: 'waits-checked', run, waits: watched, over, notes }, ...ended]);
}

async function answerTo(
  { git, outside, clock }: WaitPorts,
  target: string,
  wait: Wait | undefined,
  pulls: Result<readonly NumberedPull[]>,
): Promise<Answer> {
  switch (wait?.for) {
    case 'until':
      return clock.now() >= wait.at || '';
    case 'file':
      return (await outside.exists(wait.path)) || '';
    case 'command': {
      const end = await outside.run(wait.command);
      return end.ok || end.note;
    }
    case 'pull': {
      if (!pulls.ok) return causeOf(pulls.failure);
      const pull = pulls.value.find(({ number }) => number === wait.number);
      return pull === undefined ? 'there is no such pull request' : seenHere(git, target, pull);
    }
    case undefined:
      return 'this version cannot read it';
  }
}

function causeOf(failure: Failure): string {
  return 'cause' in failure && typeof failure.cause === 'string' ? failure.cause : failure.kind;
}

/** A pull request merged into the target counts only when the local target contains it: work is built on that. */
async function seenHere(
  git: Ports['git'],
  target: string,
  { state, base, mergeCommit }: NumberedPull,
): Promise<Answer> {
  if (state === 'closed') return 'it was closed without being merged';
  if (state === 'open') return 'it is open';
  if (base !== target || mergeCommit === undefined) return true;
  const inside = await outcomeOf(git.isAncestor(mergeCommit, `refs/heads/${target}`));
  if (inside.ok && inside.value) return true;
  return `it is merged, but ${target} of this repository does not contain it yet: pull it`;
}
