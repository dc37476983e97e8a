import type { CycleEdge } from '../../model/cycle-edge.ts';
import {
  type Failure,
  type GraphFailure,
  type UsageFailure,
  unreachable,
} from '../../model/failure.ts';
import { isMoving } from '../format/glyph.ts';
import { shortCommit } from '../format/time.ts';
import {
  inline,
  place,
  type Sentences,
  type SentencesOf,
  sentence,
  withPeriod,
} from './explanation.ts';

type Behind = Extract<Failure, { kind: 'target-behind' }>;

/** Ids that a command may have before it is too long to print. */
const idsShown = 200;

/** Sentences about a clone that lacks something to go on with a run. */
function behindSentences({ target, tasks, because }: Behind): Sentences {
  const branch = inline(target);
  const what = `${branch} of this clone lacks work that has landed: ${inline(tasks.join(', '))}.`;
  const why = `Another clone has probably landed it. To go on from here would fork ${branch}.`;
  const update = `Update ${branch} here, for example with \`git pull\`, and type the command again.`;
  const ids = tasks.join(' ');
  const retry = `\`ym retry ${ids.length > idsShown ? 'ID …' : inline(ids)}\``;
  switch (because.id) {
    case 'not-here':
      return {
        what,
        why,
        do: `${update} If that work is lost, type ${retry} to have it done again.`,
      };
    case 'run-elsewhere':
      return {
        what,
        why: `Another clone has probably landed it, and run ${because.run} is under way.`,
        do: `Update ${branch} here, for example with \`git pull\`, decide in the clone that drives the run, or wait for its end.`,
      };
    case 'base-not-here':
      return {
        what: `${branch} of this clone lacks ${shortCommit(because.base)}, the commit that the run started from.`,
        why: `Another clone has it. To go on from here would fork ${branch}.`,
        do: update,
      };
    case 'diverged':
      return {
        what,
        why,
        do: `${branch} has commits of its own. Put them on top of that work with \`git rebase ${because.commit} ${branch}\`, and type the command again.`,
      };
    case 'removed-here':
      return {
        what,
        why: `It was removed from ${branch} in this clone, and a process that stands by does not decide about that.`,
        do: 'Type `ym resume` without `--standby` to go on without that work, or stand by in a clone that has it.',
      };
    case 'removed-below':
      return {
        what,
        why: `Some of it was removed from ${branch} in this clone, and the newest landing contains it.`,
        do: `Take it back with \`git switch ${branch}\` and \`git merge --ff-only ${because.commit}\`, and type the command again, or go on in a clone that has it.`,
      };
    default:
      return unreachable(because);
  }
}

const graphWhy = 'The dependencies must form a graph without gaps or cycles; nothing was stored.';

/** Mistakes in a command, a config file or a task source. */
export const usageSentences: SentencesOf<UsageFailure | GraphFailure> = {
  usage: (failure) => ({
    what: sentence(failure.problem),
    why: '',
    do: sentence(failure.remedy),
  }),
  'config-invalid': (failure) => ({
    what: `${place(failure.file, failure.line)}: ${withPeriod(failure.problem)}`,
    why: '',
    do: sentence(failure.remedy),
  }),
  'source-invalid': (failure) => ({
    what: `${place(failure.file, failure.line)}: ${withPeriod(failure.problem)}`,
    why: 'A source is stored whole or not at all; nothing was stored.',
    do: sentence(failure.remedy),
  }),
  'unknown-task': (failure) => ({
    what: `There is no task "${failure.task}".`,
    why: 'No task of this project has that id.',
    do: `${suggestion(failure.nearest)}\`ym tasks --all\` lists all tasks.`,
  }),
  'unknown-run': (failure) => ({
    what: `There is no run "${failure.run}".`,
    why: 'No run of this project has that name.',
    do: `${suggestion(failure.nearest)}\`ym runs\` lists all runs.`,
  }),
  'task-busy': explainRefusal,
  'no-gate': (failure) => ({
    what: "No gate was found, so the agents' work cannot be tested.",
    why: `Looked for ${list(failure.searched) || 'the usual test commands'}.`,
    do: 'Type `ym config set gate.commands "npm test"` with your own command, or `ym config set gate none` to disable the gate and land work untested.',
  }),
  'gate-unusable': (failure) => ({
    what: `The gate command "${inline(failure.command)}" cannot be used: ${inline(failure.cause)}.`,
    why: 'Nothing lands untested, so the gate must be able to run.',
    do: 'Fix `gate.commands` in yardmaster.yaml and check it with `ym verify`.',
  }),
  'agent-missing': (failure) =>
    /not executable/.test(failure.cause ?? '')
      ? {
          what: `The agent ${failure.agent} needs "${failure.binary}", which is not executable.`,
          why: 'The file lacks execute permission.',
          do: `Type \`chmod +x ${failure.binary}\`.`,
          exit: 3,
        }
      : isRelativePath(failure.binary)
        ? {
            what: `The agent ${failure.agent} needs "${failure.binary}", which was not found: ${inline(failure.cause ?? '')}.`,
            why: 'Its path starts at the root of the project. A worker has only files that are committed to the target.',
            do: 'Create the file, and commit it if workers need it. Or choose another agent with `ym run --agent NAME`.',
            exit: 3,
          }
        : {
            what: `The agent ${failure.agent} needs "${failure.binary}", which was not found.`,
            why: 'It is neither a file nor a program on the PATH.',
            do: 'Install it, or choose another agent with `ym run --agent NAME`; `ym doctor` lists the installed ones.',
            exit: 3,
          },
  'agent-unknown': (failure) => ({
    what: unknownAgent(failure),
    why: failure.known.length === 0 ? '' : `Known agents are ${list(failure.known)}.`,
    do:
      failure.task === undefined
        ? chooseAgent(failure.known)
        : `Define it under \`agents\`, import the task again with another agent, or drop it: \`ym cancel ${inline(failure.task)}\`.`,
  }),
  'agent-version': (failure) => ({
    what: `${inline(failure.agent)} is version ${inline(failure.found)}; supported is ${inline(failure.supported)}.`,
    why: 'Other versions may print a different format.',
    do: `Install one of these versions, or name another program in \`agents.${inline(failure.agent)}.binary\`; \`ym doctor\` shows what is here.`,
    exit: 3,
  }),
  'call-refused': (failure) => ({
    what: `The call was refused: ${inline(failure.problem)}.`,
    why: 'Only the agent of a running turn may call, with its own token.',
    do: "No action needed: the agent's final message counts as well.",
  }),
  'price-unknown': (failure) => ({
    what: `The price of ${inline(failure.agent)}${failure.model === undefined ? '' : ` with the model ${inline(failure.model)}`} is unknown, so a cost budget cannot be enforced.`,
    why: 'It does not report its cost, and the config has no prices for it.',
    do: `Add its prices under \`prices\` in yardmaster.yaml (by model, or \`default\`), or limit the tokens instead: \`ym config set budget.tokens 2M\`.`,
  }),
  'nothing-to-resume': () => ({
    what: 'There is no run to resume.',
    why: 'No run of this project is unfinished.',
    do: 'Start a new one with `ym run`.',
  }),
  'target-behind': behindSentences,
  'nothing-to-do': () => ({
    what: 'There is nothing to do.',
    why: 'No task in scope is ready or could become ready.',
    do: '`ym tasks` shows the state of each task; `ym add` and `ym import` add new ones.',
    exit: 0,
  }),
  'duplicate-task': (failure) => ({
    what: `The id ${failure.task} is used ${failure.times} times${sourcesText(failure.sources)}.`,
    why: 'Ids name branches and folders, so each must be unique, ignoring case.',
    do: 'Give each task its own id.',
  }),
  'missing-dependency': (failure) => ({
    what: `${failure.task} ${failure.key === 'after' ? 'depends on' : 'belongs to the epic'} "${failure.missing}", which does not exist.`,
    why: graphWhy,
    do: `${suggestion(failure.nearest)}Correct the \`${failure.key}\` of ${failure.task}, or add the task.`,
  }),
  'self-dependency': (failure) => ({
    what: `${failure.task} depends on itself.`,
    why: graphWhy,
    do: `Remove ${failure.task} from its own \`after\`.`,
  }),
  cycle: (failure) => ({
    what: `These tasks depend on each other: ${circle(failure.members)}.`,
    why: `${failure.edges.map(edgeText).join('; ')}. None of them could ever start; nothing was stored.`,
    do: removalOf(failure.edges),
  }),
};

const describing =
  '`ym config set agents.mine \'{"use":"command","command":["./agent.sh"]}\'` and ' +
  '`ym config set agent mine`.';

function chooseAgent([known]: readonly string[]): string {
  if (known === undefined) return `Define one with ${describing}`;
  return `Choose one with \`ym config set agent ${known}\`, or define another with ${describing}`;
}

/** Ends the sentence "it cannot be …". */
const requestVerbs: Readonly<Record<string, string>> = {
  retry: 'retried',
  cancel: 'canceled',
  skip: 'skipped',
  block: 'blocked',
  unblock: 'unblocked',
  answer: 'answered',
  'change it': 'changed',
  rm: 'removed',
};

/** A decision that does not fit the task's state. */
function explainRefusal({
  task,
  state,
  wanted,
}: Extract<UsageFailure, { kind: 'task-busy' }>): Sentences {
  const asked = requestVerbs[wanted] ?? wanted;
  if (state === 'landed') {
    return {
      what: `${task} has landed, so it cannot be ${asked}.`,
      why: 'The target contains its commit.',
      do: 'Add a new task for what is left, or undo its commit with `git revert`.',
    };
  }
  const what = `${task} is ${state}, so it cannot be ${asked}.`;
  if (isMoving(state)) {
    const why = 'An attempt is in progress, and the task must not change while its agent works.';
    return { what, why, do: `Wait for it, or type \`ym cancel ${task}\` first.` };
  }
  const why =
    wanted === 'unblock'
      ? 'Only a blocked task can be unblocked.'
      : wanted === 'answer'
        ? 'Its agent has no open question.'
        : 'It was not given up, so there is nothing to undo.';
  const remedy =
    state === 'ready' || state === 'open'
      ? `\`ym run --only ${task}\` works on it; \`ym why ${task}\` shows what it waits for.`
      : `\`ym why ${task}\` explains its state and what to do.`;
  return { what, why, do: remedy };
}

function suggestion(nearest: string | undefined): string {
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}

function list(names: readonly string[]): string {
  return names.join(', ');
}

function circle(members: readonly string[]): string {
  return [...members, ...members.slice(0, 1)].join(' → ');
}

function edgeText({ task, parent, origin, source }: CycleEdge): string {
  switch (origin) {
    case 'declared':
      return `${task} has ${parent} in its \`after\`${source === undefined ? '' : ` in ${source}`}`;
    case 'applied':
      return `${task} waits for ${parent} since \`ym plan --apply\``;
    case 'member':
      return `the epic ${task} waits for its task ${parent}`;
    default:
      return unreachable(origin);
  }
}

/** An epic always waits for its tasks, so the others are named first. */
function removalOf(edges: readonly CycleEdge[]): string {
  const edge = edges.find(({ origin }) => origin !== 'member');
  if (edge === undefined) return 'Remove one `parent` from the cycle.';
  return edge.origin === 'applied'
    ? `Remove one of these dependencies, for example ${edge.parent} with \`ym edit ${edge.task} --after …\`.`
    : 'Remove one `after` from the cycle.';
}

function unknownAgent({
  agent,
  task,
}: Extract<UsageFailure, { readonly kind: 'agent-unknown' }>): string {
  if (agent === '') return 'No agent is chosen.';
  const there = `There is no agent "${inline(agent)}"`;
  return task === undefined ? `${there}.` : `${there}, which the task ${inline(task)} asks for.`;
}

function sourcesText(sources: readonly string[] = []): string {
  return sources.length === 0 ? '' : `, in ${sources.join(' and ')}`;
}

/** True for a path such as `./agent.sh`; a bare name is looked up on the PATH. */
function isRelativePath(binary: string): boolean {
  return binary.includes('/') && !binary.startsWith('/');
}
