import type { MemoryGit } from '../../src/git/memory.ts';
import type { Behaviour } from '../../src/process/memory.ts';
import type { ProcessSpec } from '../../src/process/processes.ts';
import type { Chance } from './chance.ts';

/** How the agent of a task behaves, every time the world is made from the same seed. */
export const characters = [
  /** Does its work. */
  'good',
  /** Does its work and leaves it uncommitted is the same here; it does it in two files. */
  'busy',
  /** Writes a file that others write too; takes its part back when it is told of the conflict. */
  'collides',
  /** Breaks what its partner needs, though each is green alone; mends it when told. */
  'partner',
  /** Breaks the gate in its first turn, mends it in the second. */
  'sloppy',
  /** Breaks the gate in every turn. */
  'hopeless',
  /** Ends with an error in its first attempt. */
  'unlucky',
  /** Ends with an error in every attempt. */
  'poisoned',
  /** Never comes back in its first attempt. */
  'hangs',
  /** Changes nothing in its first attempt. */
  'idle',
] as const;
export type Character = (typeof characters)[number];

/** Whether the task can land at all, left alone. */
export function canLand(character: Character): boolean {
  return character !== 'hopeless' && character !== 'poisoned';
}

const exited = (code: number) => ({ id: 'exited', code }) as const;

/** What the agent process of a turn does. */
export function agentBehaviour(
  git: MemoryGit,
  chance: Chance,
  character: Character,
  spec: ProcessSpec,
): Behaviour {
  const task = spec.env.YARD_TASK ?? '';
  const attempt = Number(spec.env.YARD_ATTEMPT);
  const turn = Number(spec.env.YARD_TURN);
  const dir = spec.cwd;
  const ms = chance.between(50, 3_000);
  const own = (): void => git.write(dir, `work/${task}`, `by attempt ${attempt}`);
  const writes = (effect: () => void): Behaviour => ({ ms, end: exited(0), effect });
  switch (character) {
    case 'good':
      return writes(own);
    case 'busy':
      return writes(() => {
        own();
        git.write(dir, `work/${task}.more`, `turn ${turn}`);
      });
    case 'collides':
      return writes(() => {
        own();
        git.write(dir, 'shared', turn === 1 ? `mine, says ${task}` : 'base');
      });
    case 'partner':
      return writes(() => {
        own();
        git.write(dir, `needs/${task}`, 'partner');
        if (turn > 1) git.write(dir, 'mended', 'yes');
      });
    case 'sloppy':
      return writes(() => {
        own();
        git.write(dir, `broken/${task}`, turn === 1 ? 'yes' : 'no');
      });
    case 'hopeless':
      return writes(() => {
        own();
        git.write(dir, `broken/${task}`, 'yes');
      });
    case 'unlucky':
      if (attempt > 1) return writes(own);
      return { ms, end: exited(3), effect: own };
    case 'poisoned':
      return { ms, end: exited(3), effect: own };
    case 'hangs':
      if (attempt > 1) return writes(own);
      return { ms: Number.MAX_SAFE_INTEGER, end: exited(0) };
    case 'idle':
      if (attempt > 1) return writes(own);
      return { ms, end: exited(0) };
  }
}

/**
 * The gate of this world: a tree is red when anything in it is broken, or when two partners are in it whose quarrel
 * nobody has mended.
 */
export function isGreen(files: ReadonlyMap<string, string>): boolean {
  let partners = 0;
  for (const [path, content] of files) {
    if (path.startsWith('broken/') && content === 'yes') return false;
    if (path.startsWith('needs/')) partners += 1;
  }
  return partners < 2 || files.get('mended') === 'yes';
}

export function gateBehaviour(git: MemoryGit, chance: Chance, spec: ProcessSpec): Behaviour {
  const green = isGreen(git.files(spec.cwd));
  return { ms: chance.between(10, 1_000), end: exited(green ? 0 : 1), output: green ? '' : 'red' };
}
