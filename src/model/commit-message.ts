import type { TaskId } from './task.ts';
import { oneLine, visibleLine } from './visible.ts';

/**
 * Message of a commit that the engine makes: the subject on one line, then trailers. Both hold text of agents and
 * tasks and are read on terminals, so control characters are made visible.
 */
export function commitMessage(subject: string, trailers: readonly string[] = []): string {
  const parts = [oneLine(subject), trailers.map(visibleLine).join('\n')];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A landing commit on a target, as its trailers name it. */
export interface LandingCommit {
  readonly commit: string;
  readonly from: string;
  readonly run: string;
  readonly attempt: number;
  readonly tasks: readonly TaskId[];
  readonly title: string;
}

/** Reads the message of a landing commit; undefined for any other message. */
export function landingOf(
  commit: string,
  parents: readonly string[],
  message: string,
): LandingCommit | undefined {
  const values = (name: string): readonly string[] =>
    Array.from(
      message.matchAll(new RegExp(`^Yard-${name}: (\\S+)$`, 'gm')),
      ([, value = '']) => value,
    );
  const tasks = values('Task');
  const [run] = values('Run');
  const [attempt] = values('Attempt');
  if (tasks.length === 0 || run === undefined || attempt === undefined) return undefined;
  const [title = ''] = message.split('\n');
  return { commit, from: parents[0] ?? '', run, attempt: Number(attempt), tasks, title };
}
