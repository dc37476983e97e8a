// The events that the engine would tell, where agents, git and gate are made up.
import type { EventBody } from '../../src/model/event.ts';
import { red, task } from '../../test/story.ts';
import { nameOf } from './build-candidate.ts';
import type { Branch } from './corpus.ts';

export const run = 'r1';
export const gate = 'gate';

/** A branch comes as it does after a turn of an agent, and queues without a judgement of its own. */
export function arrival({ index, files, priority }: Branch): readonly EventBody[] {
  const id = nameOf(index);
  const of = { run, id, attempt: 1 };
  const changes = { files, count: files.length, added: 1, removed: 0 };
  return [
    { type: 'task-added', task: task(id, { priority }) },
    { type: 'attempt-started', ...of, slot: 1, fence: 1, agent: 'scripted', branch: `yard/${id}` },
    { type: 'worktree-ready', ...of, worktree: { id: 'w', dir: '/w' }, base: 'base' },
    { type: 'turn-started', ...of, turn: 1, slot: 1 },
    { type: 'turn-ended', ...of, turn: 1, result: { ok: true, tail: '' } },
    { type: 'work-captured', ...of, commit: id, tree: `t${id}`, by: 'agent', changes },
    { type: 'gate-skipped', ...of, tree: `t${id}`, reason: 'simulated' },
  ];
}

export function judgement(
  candidate: string,
  count: number,
  tree: string,
  failed: boolean,
  cached: boolean,
): EventBody {
  const verdict = failed
    ? ({ id: 'failed', ms: 1, failure: { ...red, where: 'candidate' } } as const)
    : ({ id: 'passed', ms: 1 } as const);
  return { type: 'candidate-judged', run, candidate, count, tree, gate, verdict, cached };
}
