import type { GraphFailure, UsageFailure } from '../../model/failure.ts';
import { ended, place, type Sentences, type SentencesOf, sentence, words } from './explanation.ts';

const graphWhy = 'The tasks must form a graph that can be worked on; nothing was stored.';

/** What the command, a config file or a task source got wrong. */
export const usageSentences: SentencesOf<UsageFailure | GraphFailure> = {
  usage: (failure) => ({
    what: sentence(failure.problem),
    why: '',
    do: sentence(failure.remedy),
    exit: 2,
  }),
  'config-invalid': (failure) => ({
    what: `${place(failure.file, failure.line)}: ${ended(failure.problem)}`,
    why: '',
    do: sentence(failure.remedy),
    exit: 2,
  }),
  'source-invalid': (failure) => ({
    what: `${place(failure.file, failure.line)}: ${ended(failure.problem)}`,
    why: 'A source is stored whole or not at all; nothing was stored.',
    do: sentence(failure.remedy),
    exit: 2,
  }),
  'unknown-task': (failure) => ({
    what: `There is no task "${failure.task}".`,
    why: 'No task of this project has that id.',
    do: `${meant(failure.nearest)}\`ym tasks\` lists all tasks.`,
    exit: 2,
  }),
  'unknown-run': (failure) => ({
    what: `There is no run "${failure.run}".`,
    why: 'No run of this project has that name.',
    do: `${meant(failure.nearest)}\`ym runs\` lists all runs.`,
    exit: 2,
  }),
  'task-busy': explainRefusal,
  'no-gate': (failure) => ({
    what: 'No gate was found, so nothing could judge the work of the agents.',
    why: `Looked for ${list(failure.searched) || 'the usual test commands'}.`,
    do: 'Type `ym config set gate.commands "npm test"` with your own command, or `ym config set gate none` to say on purpose that there is none.',
    exit: 2,
  }),
  'gate-unusable': (failure) => ({
    what: `The gate command "${words(failure.command)}" cannot be used: ${words(failure.cause)}.`,
    why: 'A gate that cannot run would judge nothing, and nothing lands unjudged.',
    do: 'Fix `gate.commands` in yardmaster.yaml; `ym verify` tries it out.',
    exit: 2,
  }),
  'agent-missing': (failure) =>
    /not executable/.test(failure.cause ?? '')
      ? {
          what: `The agent ${failure.agent} needs "${failure.binary}", which may not be executed.`,
          why: 'It is a file without the permission to run it.',
          do: `Type \`chmod +x ${failure.binary}\`.`,
          exit: 3,
        }
      : {
          what: `The agent ${failure.agent} needs "${failure.binary}", which is not on this machine.`,
          why: 'It is neither a file nor a program on the PATH.',
          do: 'Install it, or name another one with `ym run --agent NAME`; `ym doctor` shows which agents are here.',
          exit: 3,
        },
  'agent-unknown': (failure) => ({
    what: unknownAgent(failure),
    why: failure.known.length === 0 ? '' : `Known agents are ${list(failure.known)}.`,
    do:
      failure.task === undefined
        ? chooseAgent(failure.known)
        : `Describe it under \`agents\`, import the task again with another agent, or take it out: \`ym cancel ${words(failure.task)}\`.`,
    exit: 2,
  }),
  'agent-version': (failure) => ({
    what: `${words(failure.agent)} has version ${words(failure.found)}; ${words(failure.supported)} was tried.`,
    why: 'What it prints may mean something else in another version.',
    do: `Install one of these versions, or name another program in \`agents.${words(failure.agent)}.binary\`; \`ym doctor\` shows what is here.`,
    exit: 3,
  }),
  'call-refused': (failure) => ({
    what: `The call was refused: ${words(failure.problem)}.`,
    why: 'Only the agent of a turn that runs may call, with the token it was given.',
    do: 'Nothing has to be done: what an agent says in its last message counts as well.',
    exit: 2,
  }),
  'price-unknown': (failure) => ({
    what: `Nobody knows what ${words(failure.agent)} costs${failure.model === undefined ? '' : ` with the model ${words(failure.model)}`}, so no budget of cost can be kept.`,
    why: 'It does not report its cost, and the config has no prices for it.',
    do: `Write its prices under \`prices\` in yardmaster.yaml (by model, or \`default\`), or bound the tokens instead: \`ym config set budget.tokens 2M\`.`,
    exit: 2,
  }),
  'nothing-to-resume': () => ({
    what: 'There is no run to go on with.',
    why: 'Every run of this project has come to its end.',
    do: 'Start a new one with `ym run`.',
    exit: 2,
  }),
  'nothing-to-do': () => ({
    what: 'There is nothing to do.',
    why: 'No task in scope is ready or could become ready.',
    do: '`ym tasks` shows where each one stands; `ym add` and `ym import` bring new ones in.',
    exit: 0,
  }),
  'duplicate-task': (failure) => ({
    what: `The id ${failure.task} is used ${failure.times} times.`,
    why: 'Ids name branches and folders, so each may be used once, whatever its case.',
    do: 'Give each task an id of its own.',
    exit: 2,
  }),
  'missing-dependency': (failure) => ({
    what: `${failure.task} waits for "${failure.missing}", which does not exist.`,
    why: graphWhy,
    do: `${meant(failure.nearest)}Correct the \`after\` of ${failure.task}, or add the task.`,
    exit: 2,
  }),
  'self-dependency': (failure) => ({
    what: `${failure.task} waits for itself.`,
    why: graphWhy,
    do: `Take ${failure.task} out of its own \`after\`.`,
    exit: 2,
  }),
  cycle: (failure) => ({
    what: `These tasks wait for each other: ${circle(failure.members)}.`,
    why: 'None of them could ever start.',
    do: 'Take one `after` out of the circle.',
    exit: 2,
  }),
};

const describing =
  '`ym config set agents.mine \'{"use":"command","command":["./agent.sh"]}\'` and ' +
  '`ym config set agent mine`.';

function chooseAgent([known]: readonly string[]): string {
  if (known === undefined) return `Describe one with ${describing}`;
  return `Choose one with \`ym config set agent ${known}\`, or describe another with ${describing}`;
}

/** What people and sources ask of tasks, as the end of "it cannot be …". */
const askedWords: Readonly<Record<string, string>> = {
  retry: 'tried again',
  cancel: 'cancelled',
  skip: 'skipped',
  block: 'blocked',
  unblock: 'unblocked',
  answer: 'answered',
  'change it': 'changed',
  rm: 'removed',
};

/** A wish that makes no sense where the task stands; only one at work has an agent to wait for. */
function explainRefusal({
  task,
  state,
  wanted,
}: Extract<UsageFailure, { kind: 'task-busy' }>): Sentences {
  const asked = askedWords[wanted] ?? wanted;
  if (state === 'landed') {
    return {
      what: `${task} has landed, so it cannot be ${asked}.`,
      why: 'Its work is on the target and stays there.',
      do: 'Add a new task for what is still to do, or take its commit back with `git revert`.',
      exit: 2,
    };
  }
  const what = `${task} is ${state}, so it cannot be ${asked}.`;
  if (['working', 'held', 'gating', 'reviewing', 'queued', 'landing'].includes(state)) {
    const why = 'An attempt is under way, and the task must not change under its agent.';
    return { what, why, do: `Wait for it, or type \`ym cancel ${task}\` first.`, exit: 2 };
  }
  const why =
    wanted === 'unblock'
      ? 'Only a blocked task can be unblocked.'
      : wanted === 'answer'
        ? 'Its agent does not ask anything now.'
        : 'It was not given up, so there is nothing to take back.';
  const remedy =
    state === 'ready' || state === 'open'
      ? `\`ym run --only ${task}\` works on it; \`ym why ${task}\` says what it waits for.`
      : `\`ym why ${task}\` says where it stands and what to do.`;
  return { what, why, do: remedy, exit: 2 };
}

function meant(nearest: string | undefined): string {
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}

function list(names: readonly string[]): string {
  return names.join(', ');
}

function circle(members: readonly string[]): string {
  return [...members, ...members.slice(0, 1)].join(' → ');
}

function unknownAgent({
  agent,
  task,
}: Extract<UsageFailure, { readonly kind: 'agent-unknown' }>): string {
  if (agent === '') return 'No agent is named.';
  const there = `There is no agent "${words(agent)}"`;
  return task === undefined ? `${there}.` : `${there}, which the task ${words(task)} asks for.`;
}
