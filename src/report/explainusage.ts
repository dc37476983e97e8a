import type { GraphFailure, UsageFailure } from '../model/failure.ts';
import { ended, place, type SentencesOf, sentence, words } from './explanation.ts';

const graphWhy = 'The tasks must form a graph that can be worked on; nothing was stored.';

/** What the command, a config file or a task source got wrong. */
export const usageSentences: SentencesOf<UsageFailure | GraphFailure> = {
  usage: (failure) => ({
    what: sentence(failure.problem),
    why: 'It cannot be done as it was asked.',
    do: sentence(failure.remedy),
    exit: 2,
  }),
  'config-invalid': (failure) => ({
    what: `${place(failure.file, failure.line)}: ${ended(failure.problem)}`,
    why: 'The config is checked whole before anything starts, so that no part of it is guessed.',
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
    do: `${meant(failure.nearest)}\`ym summary\` shows the newest run.`,
    exit: 2,
  }),
  'task-busy': (failure) => ({
    what: `${failure.task} is ${failure.state}, so it cannot be ${failure.wanted}.`,
    why: 'An attempt is under way, and the task must not change under its agent.',
    do: `Wait for it, or type \`ym cancel ${failure.task}\` first.`,
    exit: 2,
  }),
  'no-gate': (failure) => ({
    what: 'No gate was found, so nothing could judge the work of the agents.',
    why: `Looked for ${list(failure.looked) || 'the usual test commands'}.`,
    do: 'Type `ym config set gate.commands "npm test"` with your own command, or `ym config set gate none` to say knowingly that there is none.',
    exit: 2,
  }),
  'gate-unusable': (failure) => ({
    what: `The gate command "${words(failure.command)}" cannot be used: ${words(failure.cause)}.`,
    why: 'A gate that cannot run would judge nothing, and nothing lands unjudged.',
    do: 'Mend `gate.commands` in yardmaster.yaml; `ym verify` tries it out.',
    exit: 2,
  }),
  'agent-missing': (failure) => ({
    what: `The agent ${failure.agent} needs "${failure.binary}", which is not on this machine.`,
    why: 'It is neither a file nor a program on the PATH.',
    do: 'Install it, or name another one with `ym run --agent NAME`; `ym doctor` shows which agents are here.',
    exit: 3,
  }),
  'agent-unknown': (failure) => ({
    what: failure.agent === '' ? 'No agent is named.' : `There is no agent "${failure.agent}".`,
    why: `Known agents are ${list(failure.known) || 'none'}.`,
    do: 'Choose one of them, or describe this one under `agents` in yardmaster.yaml.',
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

function meant(nearest: string | undefined): string {
  return nearest === undefined ? '' : `Did you mean ${nearest}? `;
}

function list(names: readonly string[]): string {
  return names.join(', ');
}

function circle(members: readonly string[]): string {
  return [...members, ...members.slice(0, 1)].join(' → ');
}
