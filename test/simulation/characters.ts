import type { TestsFirst } from '../../src/model/attempt.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { EndSignal, TurnResult } from '../../src/model/turn.ts';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { telling } from '../memory/agent.ts';
import type { MemoryGit } from '../memory/git.ts';
import type { Behavior } from '../memory/processes.ts';
import type { Chance } from './chance.ts';
import { type ClumsyCharacter, clumsyCharacters, clumsyWork } from './clumsy.ts';
import { type Notes, turnKey } from './notes.ts';
import { aboutTests } from './tests-first.ts';

/** How the agent of a task behaves. The same seed gives the same behavior. */
export const characters = [
  /** Does its work. */
  'good',
  /** Does its work in two files. */
  'busy',
  /** Writes a file that others write too; reverts its part when the conflict is returned. */
  'collides',
  /** Breaks what its partner needs, although each passes alone; fixes it when returned. */
  'partner',
  /** Breaks the gate in its first turn, fixes it in the second. */
  'sloppy',
  /** Breaks the gate in every turn. */
  'hopeless',
  /** Ends with an error in its first attempt. */
  'unlucky',
  /** Ends with an error in every attempt. */
  'poisoned',
  /** Never ends in its first attempt. */
  'hangs',
  /** Changes nothing in its first attempt. */
  'idle',
  /** Ends its first turns without an end signal, then does its work. */
  'silent',
  /** Never sends an end signal. */
  'stuck',
  /** Claims as many further tasks as possible, and does the work of all of them. */
  'greedy',
  /** Its account has no quota left at its first request. */
  'dry',
  /** Its provider fails now and then. */
  'shaky',
  /** Loses its conversation after a first turn without an end signal. */
  'forgetful',
  /** Files follow-up tasks. */
  'curious',
  /** Asks before it works. */
  'asking',
  /** Changes something that needs a person's approval; reverts it when rejected. */
  'intruder',
  /** Violates a rule in its first turn, and follows it when returned. */
  'nester',
  ...clumsyCharacters,
] as const;
export type Character = (typeof characters)[number];

/** True if the task can land without a person's help. */
export function canLand(character: Character): boolean {
  return !['hopeless', 'poisoned', 'stuck', 'hoarder', 'burier'].includes(character);
}

const exited = (code: number) => ({ id: 'exited', code }) as const;

/** What an agent knows besides its own task. */
export interface Surroundings {
  readonly git: MemoryGit;
  readonly chance: Chance;
  readonly notes: Notes;
  readonly now: number;
  readonly coClaims: readonly string[];
  /** Its stage in worlds where tests are written first, and the chance of what it does about them. */
  readonly testsFirst?: { readonly stage: TestsFirst; readonly chance: Chance };
}

/** The agent process of a turn. The files that it leaves are noted. */
export function agentBehavior(
  around: Surroundings,
  character: Character,
  spec: ProcessSpec,
): Behavior {
  const { git, notes } = around;
  const { testsFirst } = around;
  const isWriting = testsFirst?.stage.id === 'writing';
  const behavior = isWriting
    ? { ms: around.chance.between(50, 3_000), end: exited(0) }
    : behaviorOf(around, character, spec);
  const { YARD_TASK: task = '', YARD_ATTEMPT: attempt, YARD_TURN: turn } = spec.env;
  const effect = (): void => {
    behavior.effect?.();
    if (testsFirst !== undefined) {
      aboutTests(git, testsFirst.chance, spec.cwd, task, testsFirst.stage);
    }
    notes.ends.set(turnKey(task, Number(attempt), Number(turn)), git.committable(spec.cwd));
  };
  return { ...behavior, effect };
}

const isClumsy = (character: Character): character is ClumsyCharacter =>
  clumsyCharacters.some((one) => one === character);

function behaviorOf(around: Surroundings, character: Character, spec: ProcessSpec): Behavior {
  const { git, chance } = around;
  const task = spec.env.YARD_TASK ?? '';
  const attempt = Number(spec.env.YARD_ATTEMPT);
  const turn = Number(spec.env.YARD_TURN);
  const dir = spec.cwd;
  const ms = chance.between(50, 3_000);
  const own = (): void => git.write(dir, `work/${task}`, `by attempt ${attempt}`);
  const writes = (effect: () => void): Behavior => ({ ms, end: exited(0), effect });
  if (isClumsy(character)) return writes(() => clumsyWork(around, character, spec, own));
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
        if (turn > 1) git.write(dir, 'fixed', 'yes');
      });
    case 'sloppy':
      return writes(() => {
        own();
        git.write(dir, `broken/${task}`, turn === 1 ? 'yes' : 'no');
      });
    case 'intruder':
      return writes(() => {
        own();
        if (turn === 1) git.write(dir, 'protected/judge', `mine, says ${task}`);
        else git.remove(dir, 'protected/judge');
      });
    case 'nester':
      return writes(() => {
        own();
        const many = Array.from({ length: turn === 1 ? 6 : 0 }, (_, n) => `many/${task}/${n}`);
        for (const path of many) git.write(dir, path, 'x');
        if (turn > 1) for (let n = 0; n < 6; n += 1) git.remove(dir, `many/${task}/${n}`);
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
    default: {
      const spills = character === 'greedy' && attempt === 1 && turn > 2 && chance.happens(0.5);
      return { ms, end: exited(spills ? 3 : 0), ...talk(around, character, spec, own) };
    }
  }
}

type Talker = Extract<
  Character,
  'silent' | 'stuck' | 'greedy' | 'dry' | 'shaky' | 'forgetful' | 'curious' | 'asking'
>;

/** Behavior of agents whose turn ends with something other than completion. */
function talk(
  { git, chance, now, coClaims }: Surroundings,
  character: Talker,
  { env, cwd, argv }: ProcessSpec,
  own: () => void,
): Pick<Behavior, 'output' | 'effect'> {
  const turn = Number(env.YARD_TURN);
  const agent = env.YARD_AGENT ?? '';
  const says = (result: TurnResult) => ({ output: telling(result) });
  const word = (said: EndSignal) => says({ ok: true, tail: '', signal: said });
  const breaks = (failure: Failure) => says({ ok: false, failure });
  const of = { agent, message: 'told so' };
  const done = { effect: own };
  switch (character) {
    case 'silent':
      return turn <= 2 ? word({ id: 'nothing' }) : done;
    case 'stuck':
      return { ...word({ id: 'nothing' }), effect: own };
    case 'greedy': {
      const ids = Array.from({ length: 10 }, (_, at) => `t${at}`).filter(() => chance.happens(0.7));
      if (turn <= 2) return word({ id: 'claim', ids });
      const all = (): void => {
        own();
        for (const coClaim of coClaims) git.write(cwd, `work/${coClaim}`, `by ${env.YARD_TASK}`);
      };
      return { effect: all };
    }
    case 'dry': {
      if (turn > 1) return done;
      const resetAt = chance.happens(0.5) ? { resetAt: now + chance.between(1, 100_000) } : {};
      return breaks({ kind: 'quota-exhausted', ...of, ...resetAt });
    }
    case 'shaky':
      return turn <= 2 ? breaks({ kind: 'provider-server', ...of, status: 529 }) : done;
    case 'forgetful':
      if (turn === 1) return word({ id: 'nothing' });
      if (argv[1] === 'resume') return breaks({ kind: 'session-lost', ...of, session: 'x' });
      return done;
    case 'curious': {
      const followUps = [{ title: `More of ${env.YARD_TASK}` }];
      return { ...says({ ok: true, tail: '', followUps }), effect: own };
    }
    case 'asking':
      return turn === 1 ? word({ id: 'ask', question: 'Really?' }) : done;
  }
}

const verdicts = [
  'VERDICT: APPROVED',
  'VERDICT: APPROVED',
  'VERDICT: APPROVED',
  'FINDING wrong-name major work/x it is called wrongly\nVERDICT: NEEDS_CHANGES',
  'FINDING no-test major - there is no test\nVERDICT: REJECTED',
  'I would not say VERDICT: APPROVED here.',
  'VERDICT: APPROVED\nVERDICT: NEEDS_CHANGES',
  '',
] as const;

/** Behavior of one-shot calls: most give a verdict, some an unreadable one, some never end. */
export function lookBehavior({ git, chance }: Surroundings, spec: ProcessSpec): Behavior {
  const ms = chance.between(50, 3_000);
  // One-shot calls must not change the work; the invariants check what lands.
  const effect = (): void => {
    if (chance.happens(0.3)) git.write(spec.cwd, 'scribbled', 'by a reviewer');
  };
  if (chance.happens(0.05)) return { ms, end: exited(7), effect };
  if (chance.happens(0.03)) return { ms: Number.MAX_SAFE_INTEGER, end: exited(0) };
  const improved = '````task\nIn better words.\n````\n';
  const output = spec.name.startsWith('improve') ? improved : `${chance.pick(verdicts)}\n`;
  return { ms, end: exited(0), output, effect };
}

/** An agent that chooses one of the variants in its prompt, or answers badly. */
export function chooserBehavior(chance: Chance, prompt: string): Behavior {
  const ms = chance.between(50, 3_000);
  if (chance.happens(0.1)) return { ms, end: exited(7) };
  const lines = prompt.split('\n').filter((line) => line.startsWith('CHOICE: '));
  const choice = lines.length === 0 ? 'CHOICE: ?' : chance.pick(lines);
  const output = chance.pick([choice, choice, choice, lines.join('\n'), 'CHOICE: invented', '']);
  return { ms, end: exited(0), output: `REASON: it is shorter\n${output}\n` };
}

/** A planner that answers well, badly or not at all. It knows the tasks by its prompt. */
export function plannerBehavior(chance: Chance, prompt: string): Behavior {
  const ms = chance.between(50, 3_000);
  if (chance.happens(0.1)) return { ms, end: exited(7) };
  if (chance.happens(0.1)) return { ms: Number.MAX_SAFE_INTEGER, end: exited(0) };
  const offered = [...prompt.matchAll(/^\{"id":"([^"]+)"/gm)].map(([, id = '']) => id);
  const known = offered.filter(() => chance.happens(0.4));
  const ids = chance.pick([known, known, known, ['invented'], [...known, 't0', 'invented'], []]);
  const block = `\`\`\`next_iteration\n${JSON.stringify(ids)}\n\`\`\`\n`;
  return { ms, end: exited(0), output: chance.pick([block, block, block, 'Whatever you like.\n']) };
}

/** An agent that says that its task cannot be done. */
export const givingUp: Behavior = {
  ms: 500,
  end: exited(0),
  output: telling({ ok: true, tail: '', signal: { id: 'gave-up', message: 'It cannot be done.' } }),
};

/** An agent that revises the plan: it adds a task that the blocked one waits for, or answers badly or not at all. */
export function reviserBehavior(chance: Chance, prompt: string): Behavior {
  const ms = chance.between(50, 3_000);
  if (chance.happens(0.1)) return { ms, end: exited(7) };
  if (chance.happens(0.1)) return { ms: Number.MAX_SAFE_INTEGER, end: exited(0) };
  const [, blocked = 't0'] = /^The agent of task (\S+) gave up/m.exec(prompt) ?? [];
  const added = { id: `${blocked}-first`, title: 'Do this first' };
  const changed = { id: blocked, title: 'Do it after that', after: [added.id] };
  const canceled = { id: blocked, cancel: true, reason: 'needless' };
  const busy = { id: 't0', title: 'Something else' };
  const tasks = chance.pick([[added, changed], [added, changed], [added], [canceled], [busy], []]);
  const block = `\`\`\`tasks\n${JSON.stringify(tasks)}\n\`\`\`\n`;
  return { ms, end: exited(0), output: chance.pick([block, block, block, 'As you like.\n']) };
}
