import type { Evidence } from '../../model/evidence.ts';
import { type AttemptFailure, type GateSubject, killSignalOf } from '../../model/failure.ts';
import { span } from '../format/time.ts';
import { type Sentences, type SentencesOf, words } from './explanation.ts';
import { said } from './output.ts';
import { workSentences } from './work.ts';

/** Why one try at a task, or one ride on the train, did not work out. */
export const attemptSentences: SentencesOf<AttemptFailure> = {
  ...workSentences,
  'worktree-failed': (failure) => ({
    what: `No worktree could be made: ${words(failure.cause)}.`,
    why: 'Every attempt works in a worktree of its own.',
    do: 'Check disk and permissions with `ym doctor`; `ym prune` shows what could go.',
    exit: 1,
  }),
  'setup-failed': explainSetUp,
  interrupted: (failure) => ({
    what: `Interrupted by ${words(failure.by)}.`,
    why: 'The agent was ended before it was done; its work is kept and this counts as no failure.',
    do: 'Type `ym resume` to go on.',
    exit: 4,
  }),
  'agent-not-started': (failure) => ({
    what: `The agent "${failure.binary}" could not be started: ${words(failure.cause)}.`,
    why: 'Its program is missing, or it may not be executed.',
    do: 'Check it with `ym doctor`.',
    exit: 1,
  }),
  'agent-exited': (failure, task) => ({
    ...exitedText(failure),
    do: `Read \`ym log ${task}\` for all it printed.`,
    exit: 1,
  }),
  'agent-gave-up': (failure, task) => ({
    what: `The agent gave up: ${words(failure.message) || 'it did not say why'}.`,
    why: 'It says that it cannot do the task as it is described.',
    do: `Read \`ym log ${task}\`; make the task clearer or smaller, then \`ym retry ${task}\`.`,
    exit: 1,
  }),
  'agent-lost': (failure, task) => ({
    what: `The agent of turn ${failure.turn} was lost: it is not running and left no exit status.`,
    why: 'It was killed, or the machine went down, while Yardmaster was away.',
    do: `Nothing has to be done where the task is tried again; \`ym log ${task}\` has what it printed.`,
    exit: 1,
  }),
  'no-changes': (failure, task) => ({
    what: 'The agent finished but made no changes.',
    ...((failure.failed ?? []).length === 0
      ? {}
      : { details: (failure.failed ?? []).map((call) => `Failed in the turn: ${call}`) }),
    why: said(failure.tail, 'It printed nothing.'),
    do: `Read \`ym log ${task}\`. If nothing was left to do, type \`ym skip ${task}\`; else it may be tried again.`,
    exit: 1,
  }),
  'conflict-markers': (failure, task) => ({
    what: `Conflict markers are left in ${words(failure.files.join(', '))}.`,
    why: 'The merge with the target was not finished; a file with conflict markers never lands.',
    do: `Type \`ym resolve ${task}\` to finish the merge yourself, or \`ym retry ${task}\` to start over from the target.`,
    exit: 1,
  }),
  'marker-lines': (failure, task) => ({
    what: `Lines look like conflict markers of git: ${words(failure.places.join(', '))}.`,
    why: 'No merge was begun, so the work may contain them on purpose; but such lines never land outside of new documentation.',
    do: `Type \`ym retry ${task}\`: the next agent is told to indent or remove them. \`ym diff ${task}\` shows the work.`,
    exit: 1,
  }),
  'conflict-unresolved': (failure, task) => ({
    what: `The agent left a conflict unresolved: ${words(failure.files.join(', '))}.`,
    why: 'One side deleted the file and the other changed it, or it is no text, so git shows no conflict markers. Nobody decided which side counts.',
    do: `Type \`ym resolve ${task}\` to finish the merge yourself, or \`ym retry ${task}\` to start over from the target.`,
    exit: 1,
  }),
  'gate-red': (failure, task) => ({
    what:
      `\`${words(failure.command)}\` failed (exit ${failure.exit}) ` +
      `${redWhere[failure.where] ?? redWhere.branch}${namesOf(failure.evidence)}.`,
    why: firstOf(failure.evidence) ?? said(failure.tail, 'It printed nothing.'),
    do:
      `Read ${failure.log}, or type \`ym log ${task} --gate\`; \`ym diff ${task}\` shows the work.` +
      (failure.exit === 127 ? ` If the work did not remove the command, ${installIt}.` : ''),
    exit: 1,
  }),
  'command-missing': explainMissing,
  'gate-not-run': (failure) => ({
    what: `The gate could not be run on the ${failure.where}: ${words(failure.cause)}.`,
    why: 'What was not judged is taken for neither green nor red, and never lands.',
    do: 'Fix the cause, try the gate with `ym verify`, then type `ym resume`. The commands are `gate.commands` in yardmaster.yaml.',
    exit: 3,
  }),
  'gate-changed-tree': (failure, task) => ({
    what: `The gate passed on the ${failure.where}, but these committed files differ from the commit: ${names(failure.files)}.`,
    why: 'A test or a gate command changed them, or they were edited while the gate ran. What was judged is not the commit, so the result does not count.',
    do:
      failure.where === 'target'
        ? 'Make the gate write to ignored files only, or commit what it writes. `ym verify` tries it on the target; then type `ym resume`.'
        : `Make the tests of the work write to ignored files only; \`ym diff ${task}\` shows the work, and \`ym retry ${task}\` starts over.`,
    exit: 1,
  }),
  unmergeable: (failure, task) => ({
    what: `Git cannot merge ${failure.branch} into the target: ${words(failure.cause)}.`,
    why: 'The agent made a history of its own instead of working on the branch it was given.',
    do: `See the work with \`ym diff ${task}\`; take over by hand what is of use, or \`ym retry ${task}\`.`,
    exit: 1,
  }),
  'capture-failed': (failure, task) => ({
    what: `The work of the agent could not be committed: ${words(failure.cause)}.`,
    why: `Git refused it; the files are still in ${failure.dir}.`,
    do: `Look into ${failure.dir} and save what is of use, then \`ym retry ${task}\`.`,
    exit: 1,
  }),
  'target-red': explainTarget,
  'agent-stuck': (failure, task) => ({
    what: `The agent ended ${failure.turns} ${failure.turns === 1 ? 'turn' : 'turns'} without saying whether it is done.`,
    why: 'It was asked for a word a last time, and ended without one again.',
    do: `Read \`ym log ${task}\`; make the task clearer or smaller, then \`ym retry ${task}\`. Where its exit is enough, set \`done: exit\` for this agent.`,
    exit: 1,
  }),
  'claims-endless': (failure, task) => ({
    what: `The agent asked for further tasks ${failure.rounds} times and finished none.`,
    why: 'One attempt is answered only so often.',
    do: `Read \`ym log ${task}\`; make the task clearer, then \`ym retry ${task}\`.`,
    exit: 1,
  }),
  'checkout-in-the-way': explainCheckout,
  'limit-crossed': explainLimit,
};

const installIt =
  'install what the gate needs with `worktree.setup` in yardmaster.yaml, for example `npm ci`';

/** Only where the shell cannot find the first word of the gate is it the gate itself that is missing. */
function explainMissing(failure: Extract<AttemptFailure, { kind: 'command-missing' }>): Sentences {
  const { command, missing, log } = failure;
  const isGate = firstWord(command) === missing;
  return {
    what: isGate
      ? `The gate cannot run on the ${failure.where}: there is no command \`${words(missing)}\`.`
      : `The gate cannot run on the ${failure.where}: ${missing === '' ? 'a command' : `the command \`${words(missing)}\``}, which \`${words(command)}\` runs, was not found.`,
    why: isGate
      ? '`gate.commands` in yardmaster.yaml names a program that is not on the PATH.'
      : 'What the project depends on is probably not installed in the worktree of the gate.',
    do: `${isGate ? 'Install it, or change `gate.commands`' : sentenceCase(installIt)}. Check it with \`ym verify\`, then type \`ym resume\`. Read ${log} for the whole output.`,
    exit: 3,
  };
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The program that a command starts with, behind settings of variables. */
function firstWord(command: string): string | undefined {
  const all = command.trim().split(/\s+/);
  return all.find((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word));
}

const redWhere: Readonly<Record<GateSubject, string>> = {
  branch: 'on the branch',
  candidate: 'after merging with the target',
  target: 'on the target itself',
};

/** Failures that are named in a sentence. */
const namedMax = 3;

/** The failing tests, as the end of a sentence. */
function namesOf({ failures, unlisted }: Evidence): string {
  if (failures.length === 0) return '';
  const names = failures.slice(0, namedMax).map(({ name }) => words(name));
  const more = failures.length - names.length + unlisted;
  return `: ${names.join('; ')}${more === 0 ? '' : `; and ${more} more`}`;
}

/** What the first failure with a message says. */
function firstOf({ failures }: Evidence): string | undefined {
  const told = failures.find(({ message }) => message !== '');
  if (told === undefined) return undefined;
  const lines = told.message.split('\n').filter((line) => line.trim() !== '');
  return `${words(told.name)}: ${words(lines.slice(0, 4).join(' / '))}.`;
}

/** Git names the files that are in the way on lines of their own, and a person needs them first. */
function explainCheckout(
  failure: Extract<AttemptFailure, { kind: 'checkout-in-the-way' }>,
): Sentences {
  const files = failure.cause.split('\n').flatMap((line) => (/^\t/.test(line) ? line.trim() : []));
  const untracked = /untracked/i.test(failure.cause);
  const kind = untracked ? 'Files that git does not know' : 'Uncommitted changes';
  const move = untracked ? 'Move them away or commit them' : 'Commit or stash them';
  const again = 'the landing is tried again by itself, or with `ym resume` once the run has ended';
  if (files.length === 0) {
    return {
      what: `The checkout of the target in ${failure.dir} cannot be moved: ${words(failure.cause)}.`,
      why: 'Moving it would overwrite something of yours, so git refused.',
      do: `Fix what git complains about in ${failure.dir}; ${again}.`,
      exit: 1,
    };
  }
  return {
    what: `${kind} are in the way of the landing: ${words(files.join(', '))}.`,
    why: `The target is checked out in ${failure.dir}, and moving it would overwrite them.`,
    do: `${move} in ${failure.dir}; ${again}.`,
    exit: 1,
  };
}

function explainSetUp(
  failure: Extract<AttemptFailure, { kind: 'setup-failed' }>,
  task: string,
): Sentences {
  const { where, command, exit, tail, log } = failure;
  const how = exit < 0 ? 'failed' : `failed with exit status ${exit}`;
  const isOfWork = where === 'candidate';
  const on = isOfWork ? ' on the work merged with the target' : '';
  const fix = isOfWork
    ? `A lock file may not fit its manifest: see \`ym diff ${task}\`, and type \`ym retry ${task}\` to have it tried again.`
    : 'Fix what it says, or `worktree.setup` in yardmaster.yaml, commit the change, and check it with `ym verify`.';
  return {
    what: `The set-up command "${words(command)}" ${how}${on}.`,
    why: said(tail, 'It printed nothing.'),
    do: `${fix} The whole output is in ${log}.`,
    exit: isOfWork ? 1 : 3,
  };
}

function explainTarget(failure: Extract<AttemptFailure, { kind: 'target-red' }>): Sentences {
  const { commit, checked, limit, evidence, tail, log } = failure;
  const gate = { kind: 'limit-crossed', phase: 'gate', tail } as const;
  const crossed =
    limit === undefined
      ? namesOf(evidence)
      : `: ${explainLimit({ ...gate, limit: limit.id, value: limit.value }, '')
          .what.replace(/^The/, 'the')
          .replace(/\.$/, '')}`;
  const key = limit?.id === 'output' ? 'limits.output' : 'gate.timeout';
  const fix =
    limit === undefined || limit.id === 'line'
      ? 'fix the target'
      : `raise \`${key}\` in yardmaster.yaml or fix the target`;
  const skip = checked === 'preflight' ? ' To let agents fix it, add `--no-preflight`.' : '';
  return {
    what: `The target itself is red at ${commit.slice(0, 12)}${crossed}.`,
    why: firstOf(evidence) ?? said(tail, 'The gate printed nothing.'),
    do: `Read ${log}, ${fix}, check it with \`ym verify\`, then type \`ym resume\`.${skip}`,
    exit: 1,
  };
}

function explainLimit(
  failure: Extract<AttemptFailure, { kind: 'limit-crossed' }>,
  task: string,
): Sentences {
  const who = { agent: 'The agent', gate: 'The gate' }[failure.phase];
  const time = span(failure.value);
  const what = {
    wall: `${who} did not end within ${time}.`,
    idle: `${who} printed nothing for ${time} and was ended.`,
    start: `${who} printed nothing in its first ${time} and was ended.`,
    output: `${who} printed more than ${size(failure.value)} and was ended.`,
    line: `${who} printed a line of more than ${size(failure.value)} and was ended.`,
    linger: `${who} was alive ${time} after its last word and was ended.`,
  }[failure.limit];
  const ofPhase = {
    agent: `limits.agent_${failure.limit}`,
    gate: 'gate.timeout',
  }[failure.phase];
  const key = failure.limit === 'output' ? 'limits.output' : ofPhase;
  const typed = `\`ym log ${task}${failure.phase === 'gate' ? ' --gate' : ''}\``;
  const log = failure.log === undefined ? `Read ${typed}` : `Read ${failure.log}, or type ${typed}`;
  return {
    what: what ?? `${who} crossed a limit.`,
    why: said(failure.tail, 'It printed nothing, so it may have hung.'),
    // No message is that long, so there is no limit to raise.
    do:
      failure.limit === 'line' ? `${log}.` : `${log}; the limit is \`${key}\` in yardmaster.yaml.`,
    exit: 1,
  };
}

function exitedText(
  failure: Extract<AttemptFailure, { kind: 'agent-exited' }>,
): Pick<Sentences, 'what' | 'why'> {
  const { exit, signal, tail } = failure;
  const killedBy = killSignalOf(failure);
  const status = `The agent ended with exit status ${exit}`;
  if (killedBy === undefined) {
    const what = signal === undefined ? `${status}.` : `The agent was ended by ${signal}.`;
    return { what, why: said(tail, 'It printed nothing.') };
  }
  const memory = killedBy === 'SIGKILL' ? ' The system does that when memory runs out.' : '';
  return {
    what:
      signal === undefined
        ? `${status}: it was killed by ${killedBy}.`
        : `The agent was killed by ${killedBy}.`,
    why: `Something outside of Yardmaster killed it.${memory} ${said(tail, 'It printed nothing.')}`,
  };
}

function size(bytes: number): string {
  const mib = bytes / (1024 * 1024);
  return mib >= 1 ? `${Math.round(mib)} MiB` : `${Math.max(1, Math.round(bytes / 1024))} KiB`;
}

const namedMost = 5;

function names(files: readonly string[]): string {
  const more = files.length - namedMost;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `${words(files.slice(0, namedMost).join(', '))}${rest}`;
}
