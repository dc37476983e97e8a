import type { Evidence } from '../../model/evidence.ts';
import type { AttemptFailure, GateSubject } from '../../model/failure.ts';
import { killSignalOf } from '../../model/fault.ts';
import { filesInTheWay } from '../../model/in-the-way.ts';
import { machineCauseOf } from '../../model/machine-cause.ts';
import { counted } from '../format/amount.ts';
import { capitalized } from '../format/layout.ts';
import { span } from '../format/time.ts';
import {
  inline,
  machineRemedy,
  outputSentence,
  type Sentences,
  type SentencesOf,
} from './explanation.ts';
import { workSentences } from './work.ts';
import { workerSentences } from './worker.ts';

export const attemptSentences: SentencesOf<AttemptFailure> = {
  ...workSentences,
  'worktree-failed': (failure) => ({
    what: `Could not create a worktree: ${inline(failure.cause)}.`,
    why: 'Each attempt needs its own worktree.',
    do:
      machineRemedy(failure.cause) ??
      'Check disk space and permissions with `ym doctor`; `ym prune` lists what can be deleted.',
  }),
  'setup-failed': explainSetUp,
  ...workerSentences,
  interrupted: (failure) => ({
    what: `Interrupted by ${inline(failure.by)}.`,
    why: 'The agent was stopped before it finished. Any changes it made are kept, and this does not count as a failure.',
    do: 'Type `ym resume` to continue.',
    exit: 4,
  }),
  'agent-not-started': (failure) => {
    const what = `Could not start the agent "${failure.binary}": ${inline(failure.cause)}.`;
    if (machineCauseOf(failure.cause) === 'space') {
      const remedy = machineRemedy(failure.cause) ?? '';
      return { what, why: 'It needs room for its output.', do: remedy };
    }
    const why = 'The program is missing or not executable.';
    return { what, why, do: 'Check it with `ym doctor`.' };
  },
  'agent-exited': (failure, task) => ({
    ...exitedText(failure),
    do: `Read \`ym log ${task}\` for its full output.`,
  }),
  'agent-gave-up': (failure, task) => ({
    what: `The agent gave up: ${inline(failure.message) || 'no reason was given'}.`,
    why: 'It reported that it cannot do the task as described.',
    do: `Read \`ym log ${task}\`; make the task clearer or smaller, then \`ym retry ${task}\`.`,
  }),
  'agent-lost': (failure, task) => ({
    what: `The agent of turn ${failure.turn} is gone: it is not running and left no exit status.`,
    why: 'It was killed, or the machine went down, while Yardmaster was not running.',
    do: `No action needed: the turn is repeated; \`ym log ${task}\` shows its output.`,
  }),
  'no-changes': (failure, task) => ({
    what:
      failure.leftOut === undefined
        ? 'The agent finished but made no changes.'
        : 'The agent left its work in ignored files, in its stash or on another branch, even after it was told to move it.',
    ...noChangesDetails(failure),
    why: outputSentence(failure.tail, 'It printed nothing.'),
    do: `Read \`ym log ${task}\`. If nothing was left to do, type \`ym skip ${task}\`; else it may be tried again.`,
  }),
  'conflict-markers': (failure, task) => ({
    what: `Conflict markers are left in ${inline(failure.files.join(', '))}.`,
    why: 'The merge with the target was not finished; a file with conflict markers never lands.',
    do: `Type \`ym resolve ${task}\` to finish the merge yourself, or \`ym retry ${task}\` to start over from the target.`,
  }),
  'marker-lines': (failure, task) => ({
    what: `Lines look like git conflict markers: ${inline(failure.places.join(', '))}.`,
    why: 'No merge was in progress, so they may be there on purpose, but such lines land only in new documentation.',
    do: `Type \`ym retry ${task}\`: the next agent is told to indent or remove them. \`ym diff ${task}\` shows the work.`,
  }),
  'conflict-unresolved': (failure, task) => ({
    what: `The agent left a conflict unresolved: ${inline(failure.files.join(', '))}.`,
    why: 'One side deleted the file and the other changed it, or it is not a text file, so git shows no conflict markers. The agent chose neither side.',
    do: `Type \`ym resolve ${task}\` to finish the merge yourself, or \`ym retry ${task}\` to start over from the target.`,
  }),
  'gate-red': (failure, task) => ({
    what:
      `\`${inline(failure.command)}\` failed (exit ${failure.exit}) ` +
      `${redWhere[failure.where] ?? redWhere.branch}${namesOf(failure.evidence)}.`,
    why: firstOf(failure.evidence) ?? outputSentence(failure.tail, 'It printed nothing.'),
    do:
      `Read ${failure.log}, or type \`ym log ${task} --gate\`; \`ym diff ${task}\` shows the work.` +
      (failure.exit === 127 ? ` If the work did not remove the command, ${installIt}.` : ''),
  }),
  'command-missing': explainMissing,
  'gate-not-run': (failure) => ({
    what: `The gate could not run on the ${failure.where}: ${inline(failure.cause)}.`,
    why: 'Work without a gate result never lands.',
    do: 'Fix the cause and check the gate with `ym verify`; `ym resume` continues a run that it has ended. The commands are `gate.commands` in yardmaster.yaml.',
    exit: 3,
  }),
  'gate-changed-tree': (failure, task) => ({
    what: `The gate passed on the ${failure.where}, but these committed files differ from the commit: ${names(failure.files)}.`,
    why: 'A test or a gate command changed them, or they were edited while the gate ran. The gate did not test the commit itself, so its result does not count.',
    do:
      failure.where === 'target'
        ? 'Make the gate write only to ignored files, or commit what it writes. Check it with `ym verify`; `ym resume` continues a run that it has ended.'
        : `Make the tests write only to ignored files; \`ym diff ${task}\` shows the work, and \`ym retry ${task}\` starts over.`,
  }),
  unmergeable: (failure, task) => ({
    what: `Git cannot merge ${failure.branch} into the target: ${inline(failure.cause)}.`,
    why: 'The agent started an unrelated history instead of committing to its branch.',
    do: `See the work with \`ym diff ${task}\`; copy what you need by hand, or type \`ym retry ${task}\`.`,
  }),
  'capture-failed': (failure, task) => ({
    what: `Could not commit the agent's work: ${inline(failure.cause)}.`,
    why: `Git refused the commit; the files are still in ${failure.dir}.`,
    do:
      machineRemedy(failure.cause) ??
      `Look into ${failure.dir} and save what you need, then type \`ym retry ${task}\`.`,
  }),
  'nested-repository': ({ dir, paths }, task) => ({
    what: `The agent left ${paths.length === 1 ? 'a git repository' : 'git repositories'} inside its worktree: ${names(paths)}.`,
    why: `The files of a nested repository cannot be committed from outside; they are still in ${dir}.`,
    do: `Remove \`.git\` from ${paths.length === 1 ? 'it' : 'each of them'} in ${dir} or save what you need elsewhere, then type \`ym retry ${task}\`.`,
  }),
  'target-red': explainTarget,
  'agent-stuck': (failure, task) => ({
    what: `The agent ended ${counted(failure.turns, 'turn')} without saying whether it is done.`,
    why: 'It was asked one last time and still did not say.',
    do: `Read \`ym log ${task}\`; make the task clearer or smaller, then \`ym retry ${task}\`. If a clean exit is enough, set \`done: exit\` for this agent.`,
  }),
  'claims-endless': (failure, task) => ({
    what: `The agent asked for more tasks ${counted(failure.rounds, 'time')} and finished none.`,
    why: 'An attempt may ask for tasks only a limited number of times.',
    do: `Read \`ym log ${task}\`; make the task clearer, then \`ym retry ${task}\`.`,
  }),
  'checkout-in-the-way': explainCheckout,
  'checkout-locked': explainLock,
  'limit-crossed': explainLimit,
};

const installIt =
  'install what the gate needs with `worktree.setup` in yardmaster.yaml, for example `npm ci`';

/** The gate itself is missing only if the shell cannot find the first word of its command. */
function explainMissing(failure: Extract<AttemptFailure, { kind: 'command-missing' }>): Sentences {
  const { command, missing, log } = failure;
  const isGate = firstWord(command) === missing;
  return {
    what: isGate
      ? `The gate cannot run on the ${failure.where}: command \`${inline(missing)}\` not found.`
      : `The gate cannot run on the ${failure.where}: ${missing === '' ? 'a command' : `the command \`${inline(missing)}\``}, which \`${inline(command)}\` runs, was not found.`,
    why: isGate
      ? '`gate.commands` in yardmaster.yaml names a program that is not on the PATH, or that the sandbox hides.'
      : "The project's dependencies are probably not installed in the gate's worktree.",
    do: `${isGate ? 'Install it, or change `gate.commands`; `ym doctor` names folders of the PATH that the sandbox hides' : capitalized(installIt)}. Check it with \`ym verify\`; \`ym resume\` continues a run that it has ended. The full output is in ${log}.`,
    exit: 3,
  };
}

/** First word of a command after variable assignments. */
function firstWord(command: string): string | undefined {
  const all = command.trim().split(/\s+/);
  return all.find((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word));
}

const redWhere: Readonly<Record<GateSubject, string>> = {
  branch: 'on the branch',
  candidate: 'after merging with the target',
  target: 'on the target itself',
};

const namedMax = 3;

/** `: name; name; and 2 more` */
function namesOf({ failures, unlisted }: Evidence): string {
  if (failures.length === 0) return '';
  const names = failures.slice(0, namedMax).map(({ name }) => inline(name));
  const more = failures.length - names.length + unlisted;
  return `: ${names.join('; ')}${more === 0 ? '' : `; and ${more} more`}`;
}

/** Name and message of the first failure that has one. */
function firstOf({ failures }: Evidence): string | undefined {
  const first = failures.find(({ message }) => message !== '');
  if (first === undefined) return undefined;
  const lines = first.message.split('\n').filter((line) => line.trim() !== '');
  return `${inline(first.name)}: ${inline(lines.slice(0, 4).join(' / '))}.`;
}

function explainCheckout(
  failure: Extract<AttemptFailure, { kind: 'checkout-in-the-way' }>,
): Sentences {
  const files = filesInTheWay(failure);
  const untracked = /untracked/i.test(failure.cause);
  const kind = untracked ? 'Untracked files' : 'Uncommitted changes';
  const move = untracked ? 'Move them away or commit them' : 'Commit or stash them';
  const again = 'landing is retried automatically, or with `ym resume` if the run has ended';
  if (files.length === 0) {
    return {
      what: `Could not update the target's checkout in ${failure.dir}: ${inline(failure.cause)}.`,
      why: 'The target is checked out there, so its files must move together with the branch.',
      do: `Fix this in ${failure.dir}; ${again}.`,
    };
  }
  return {
    what: `${kind} are in the way of landing: ${inline(files.join(', '))}.`,
    why: `The target is checked out in ${failure.dir}, and updating it would overwrite them.`,
    do: `${move} in ${failure.dir}; ${again}.`,
  };
}

function explainLock(failure: Extract<AttemptFailure, { kind: 'checkout-locked' }>): Sentences {
  const { dir, file, ageMs, pid, isOurs } = failure;
  const age = `for ${span(ageMs)}`;
  const again = 'Landing is retried automatically, or with `ym resume` if the run has ended.';
  if (isOurs) {
    return {
      what: `${pid === undefined ? 'A process' : `Process ${pid}`} of another run is updating the target's checkout in ${dir}, ${age}.`,
      why: 'Only one process at a time may update it.',
      do: `Wait until it has ended. ${again}`,
    };
  }
  return {
    what: `Git's index in ${dir} has been locked ${age}${pid === undefined ? '' : ` by process ${pid}`}.`,
    why:
      pid === undefined
        ? `${file} exists and is not ours. A running git holds it, or one that was killed left it.`
        : `${file} is not ours; that process holds it.`,
    do:
      pid === undefined
        ? `If no git, editor or other tool works in ${dir}, remove ${file}. ${again}`
        : `Let process ${pid} finish. ${again}`,
  };
}

function explainSetUp(
  failure: Extract<AttemptFailure, { kind: 'setup-failed' }>,
  task: string,
): Sentences {
  const { where, command, exit, tail, log } = failure;
  const how = exit < 0 ? 'failed' : `failed (exit ${exit})`;
  const isOfWork = where === 'candidate';
  const on = isOfWork ? ' after merging with the target' : '';
  const fix = isOfWork
    ? `A lock file may not match its manifest: see \`ym diff ${task}\`, and type \`ym retry ${task}\` to try again.`
    : 'Fix what this command reports, or change `worktree.setup` in yardmaster.yaml and commit that. `ym verify` runs it and the gate in a fresh worktree; `ym resume` continues a run that it has ended.';
  return {
    what: `The setup command "${inline(command)}" ${how}${on}.`,
    why: outputSentence(tail, 'It printed nothing.'),
    do: `${fix} The full output is in ${log}.`,
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
    what: `The target itself fails the gate at ${commit.slice(0, 12)}${crossed}.`,
    why: firstOf(evidence) ?? outputSentence(tail, 'The gate printed nothing.'),
    do: `Read ${log}, ${fix}, check it with \`ym verify\`, then type \`ym resume\`.${skip}`,
  };
}

function explainLimit(
  failure: Extract<AttemptFailure, { kind: 'limit-crossed' }>,
  task: string,
): Sentences {
  const actor = { agent: 'The agent', gate: 'The gate' }[failure.phase];
  const time = span(failure.value);
  const what = {
    wall: `${actor} did not finish within ${time}.`,
    idle: `${actor} printed nothing for ${time} and was stopped.`,
    start: `${actor} printed nothing in its first ${time} and was stopped.`,
    output: `${actor} printed more than ${size(failure.value)} and was stopped.`,
    line: `${actor} printed a line of more than ${size(failure.value)} and was stopped.`,
    linger: `${actor} was still running ${time} after its final message and was stopped.`,
  }[failure.limit];
  const ofPhase = {
    agent: `limits.agent_${failure.limit}`,
    gate: 'gate.timeout',
  }[failure.phase];
  const key = failure.limit === 'output' ? 'limits.output' : ofPhase;
  const typed = `\`ym log ${task}${failure.phase === 'gate' ? ' --gate' : ''}\``;
  const log = failure.log === undefined ? `Read ${typed}` : `Read ${failure.log}, or type ${typed}`;
  return {
    what: what ?? `${actor} exceeded a limit.`,
    why: outputSentence(failure.tail, 'It printed nothing, so it may have hung.'),
    // No message is that long, so there is no limit to raise.
    do:
      failure.limit === 'line' ? `${log}.` : `${log}; the limit is \`${key}\` in yardmaster.yaml.`,
  };
}

function exitedText(
  failure: Extract<AttemptFailure, { kind: 'agent-exited' }>,
): Pick<Sentences, 'what' | 'why'> {
  const { exit, signal, tail } = failure;
  const killedBy = killSignalOf(failure);
  const status = `The agent exited with status ${exit}`;
  if (killedBy === undefined) {
    const what = signal === undefined ? `${status}.` : `The agent was stopped by ${signal}.`;
    return { what, why: outputSentence(tail, 'It printed nothing.') };
  }
  const memory = killedBy === 'SIGKILL' ? ' The system kills processes when memory runs out.' : '';
  return {
    what:
      signal === undefined
        ? `${status}: it was killed by ${killedBy}.`
        : `The agent was killed by ${killedBy}.`,
    why: `It was not killed by Yardmaster.${memory} ${outputSentence(tail, 'It printed nothing.')}`,
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
  return `${inline(files.slice(0, namedMost).join(', '))}${rest}`;
}

function noChangesDetails({
  failed = [],
  leftOut = [],
  archive,
  notKept = [],
}: Extract<AttemptFailure, { kind: 'no-changes' }>): { readonly details?: readonly string[] } {
  const details = [
    ...failed.map((call) => `Failed call: ${call}`),
    ...leftOut.map((file) => `Left out: ${file}`),
    ...(archive === undefined ? [] : [`Kept in ${archive}`]),
    ...notKept.map((file) => `Not kept, too large or unreadable: ${file}`),
  ];
  return details.length === 0 ? {} : { details };
}
