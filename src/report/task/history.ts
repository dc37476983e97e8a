import type { Actor } from '../../model/actor.ts';
import type { Failure } from '../../model/failure.ts';
import type { Step } from '../../model/history.ts';
import { stepText } from '../event/step.ts';

export interface HistoryLine {
  readonly at: number;
  readonly attempt?: number;
  readonly actor?: Actor;
  readonly text: string;
  /** Shown in full below the text. */
  readonly note?: string;
  readonly failure?: Failure;
}

/** History of a task for people. Steps that repeat the one before, such as a landing that waits, are one line. */
export function historyLines(steps: readonly Step[]): readonly HistoryLine[] {
  const earlier: Earlier = {};
  const lines = steps.flatMap((step): HistoryLine[] => {
    const { what: _what, ...rest } = step;
    const line = { ...rest, ...inContext(step, earlier) };
    return line.text === '' ? [] : [line];
  });
  return lines.filter((line, place) => !isSame(line, lines[place - 1]));
}

function isSame(line: HistoryLine, before: HistoryLine | undefined): boolean {
  return (
    line.failure !== undefined &&
    line.text === before?.text &&
    JSON.stringify(line.failure) === JSON.stringify(before.failure)
  );
}

/** Earlier steps that change the text of later ones. */
interface Earlier {
  decision?: string;
  commit?: string;
}

function inContext(step: Step, earlier: Earlier): Pick<HistoryLine, 'text' | 'note' | 'failure'> {
  const { what } = step;
  const line = stepText(step);
  if (what.type === 'decided') earlier.decision = what.decision.kind;
  if (earlier.decision === 'release') delete earlier.decision;
  if (what.type === 'attempt-started') {
    delete earlier.decision;
    delete earlier.commit;
  }
  if (what.type === 'work-captured') {
    const same = earlier.commit === what.commit;
    earlier.commit = what.commit;
    return same ? { ...line, text: `no new changes; work is still ${what.commit}` } : line;
  }
  // A person's decision ended the agent, not the run.
  const ended = line.failure?.kind === 'interrupted' && earlier.decision !== undefined;
  return ended ? { ...line, failure: { kind: 'interrupted', by: 'a person' } } : line;
}
