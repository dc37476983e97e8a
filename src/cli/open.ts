import { resolve } from 'node:path';
import type { Opened } from '../app/ports.ts';
import type { Actor } from '../model/actor.ts';
import type { Failure, Result } from '../model/failure.ts';
import { openWithStore } from '../wire/project.ts';
import type { Call } from './parse.ts';
import { complain } from './screen.ts';

export function folderOf(call: Pick<Call, 'global'>): string {
  return resolve(call.global.cwd ?? '.');
}

/** The exit status of a command, or why it could not be carried out. */
export type Outcome = Result<number, Failure | readonly Failure[]>;

/** Runs a command on the project it was called in. Prints its failures, and closes everything again. */
export async function withStore(
  call: Call,
  mode: 'read' | 'write',
  work: (opened: Opened) => Promise<Outcome>,
  through?: Actor['through'],
): Promise<number> {
  const opened = await openWithStore(folderOf(call), mode, through);
  if (!opened.ok) return complain([opened.failure]);
  try {
    const done = await work(opened.value);
    if (done.ok) return done.value;
    return complain('kind' in done.failure ? [done.failure] : done.failure);
  } finally {
    await opened.value.store.close();
    await opened.value.git.close();
  }
}

/** End of a sentence: whether the active run or the next one acts on a person's decision. */
export function nextStep(willContinue: boolean): string {
  return willContinue ? 'the run continues with it' : 'continue with `ym resume` or `ym run`';
}
