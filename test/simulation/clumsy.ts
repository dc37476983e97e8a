import type { ProcessSpec } from '../../src/port/processes.ts';
import type { MemoryGit } from '../memory/git.ts';
import { attemptKey, type Notes } from './notes.ts';

/** Agents that use git in clumsy ways. */
export const clumsyCharacters = [
  /** Stashes its work and pops it again. */
  'stasher',
  /** Leaves its work in the stash; pops it when told. */
  'misplacer',
  /** Leaves its work in the stash in every turn. */
  'hoarder',
  /** Commits a draft, hides the file from its git with a flag, and finishes it. */
  'flagger',
  /** Leaves its work in an ignored file; does it in the right place when told. */
  'hider',
  /** Leaves its work in an ignored file in every turn. */
  'burier',
  /** Leaves ignored output next to its work. */
  'builder',
  /** Commits its work on another branch; does it on its own branch when told. */
  'wanderer',
  /** Commits a first version on another branch, and its work on its own. */
  'brancher',
] as const;
export type ClumsyCharacter = (typeof clumsyCharacters)[number];

interface ClumsyWorld {
  readonly git: MemoryGit;
  readonly notes: Notes;
}

/** Turn of a clumsy agent. `own` does the work in the right place. */
export function clumsyWork(
  { git, notes }: ClumsyWorld,
  character: ClumsyCharacter,
  { cwd: dir, env }: ProcessSpec,
  own: () => void,
): void {
  const agent = git.agentIn(dir);
  const { YARD_TASK: task = '', YARD_ATTEMPT: attempt, YARD_TURN: turn } = env;
  const by = attemptKey(task, Number(attempt));
  const isFirst = Number(turn) === 1;
  const aside = (commit: string | undefined): void => {
    if (commit !== undefined) notes.strays.set(commit, by);
  };
  const bury = (): void => {
    git.write(dir, `out/${task}`, `by attempt ${attempt}`);
    notes.buried.add(by);
  };
  switch (character) {
    case 'stasher':
      own();
      // Git refuses to stash an unresolved merge.
      if (!agent.isMerging && agent.stash() !== undefined) agent.pop();
      return;
    case 'misplacer': {
      if (isFirst) {
        own();
        return aside(agent.stash());
      }
      const [entry] = git.stashes(dir);
      if (entry !== undefined && !agent.isMerging && agent.pop()) notes.strays.delete(entry);
      return own();
    }
    case 'hoarder':
      git.write(dir, `work/${task}`, `turn ${turn} of attempt ${attempt}`);
      return aside(agent.stash());
    case 'flagger':
      git.write(dir, `work/${task}`, `draft in turn ${turn}`);
      agent.commit(`Draft of ${task}`);
      agent.flag(`work/${task}`);
      own();
      git.write(dir, `work/${task}.more`, `turn ${turn}`);
      agent.commit(`Work of ${task}`);
      return;
    case 'hider':
      return isFirst ? bury() : own();
    case 'burier':
      return bury();
    case 'builder':
      git.write(dir, `out/${task}`, `built in turn ${turn}`);
      return own();
    case 'wanderer':
      own();
      if (isFirst) aside(agent.commitOn(`mine-${turn}`, `Work of ${task}`));
      return;
    case 'brancher':
      if (isFirst) {
        git.write(dir, `work/${task}`, 'first version');
        aside(agent.commitOn(`mine-${turn}`, `First version of ${task}`));
      }
      return own();
  }
}
