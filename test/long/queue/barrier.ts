// A gate that the test lets go, one run after the other: nothing here depends on how long anything takes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateScript, type TestProject } from '../../rig.ts';

/**
 * Notes whose work it judges, reports its number, waits to be released, and then judges as the gate of the rig does. Two
 * gates that start at the same time get different numbers, because only one of them can make the folder of a number.
 */
export const barrierGate = `if test -n "$STAGE"; then
  n=1
  until mkdir "$STAGE/gate-$n" 2>/dev/null; do n=$((n + 1)); done
  echo "$YARD_TASK" >> "$STAGE/gates"
  touch "$STAGE/judging-$n"
  while test ! -e "$STAGE/go-$n" && test ! -e "$STAGE/go-all"; do sleep 0.02; done
fi
${gateScript}`;

/** Only notes its runs, and judges as the gate of the rig does. */
export const notingGate = `test -z "$STAGE" || echo "$YARD_TASK" >> "$STAGE/gates"
${gateScript}`;

export const staged = (y: TestProject): { readonly env: Readonly<Record<string, string>> } => ({
  env: { STAGE: y.stage },
});

/** Whose work each run of the gate judged, in the order of their starts. */
export function gatesOf(y: TestProject): readonly string[] {
  const file = join(y.stage, 'gates');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

/** Waits until all of these tasks wait for the train. */
export function queued(y: TestProject, ...ids: readonly string[]): Promise<void> {
  return y.untilStatus(
    ({ tasks }) =>
      ids.every((id) => tasks.some((task) => task.id === id && task.state === 'queued')),
    `${ids.join(', ')} in the queue`,
  );
}

/**
 * Tasks that land one by one before the task `first` starts. The queue takes several branches only after it has seen
 * good ones, and a test about batches must not depend on how many it wants to see.
 */
export const warmUp = ['w1', 'w2', 'w3'] as const;
export const warmUpTasks = warmUp.map((id, at) => ({
  id,
  after: at === 0 ? [] : warmUp.slice(at - 1, at),
}));
export const warmUpScript = Object.fromEntries(
  warmUp.map((id) => [id, [[{ write: { path: `${id}.txt`, text: `${id}\n` } }]]]),
);
/** The number of the first gate after theirs. */
export const afterWarmUp = warmUp.length + 1;

/** Lets their gates go. */
export function letWarmUpGo(y: TestProject): void {
  for (let n = 1; n < afterWarmUp; n += 1) y.signal(`go-${n}`);
}
