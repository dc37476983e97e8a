import { noEvidence } from '../../model/evidence.ts';
import { type Failure, failureFrom, type StatusFailure } from '../../model/failure.ts';
import { counted } from '../format/amount.ts';
import { cut } from '../format/layout.ts';
import { span } from '../format/time.ts';
import { attemptSentences } from './attempt.ts';
import { environmentSentences } from './environment.ts';
import {
  type ExitCode,
  type Explanation,
  failureLines,
  inline,
  type Sentences,
  type SentencesOf,
  sentence,
  tailLines,
} from './explanation.ts';
import { probeSentences } from './probe.ts';
import { providerSentences } from './provider.ts';
import { usageSentences } from './usage.ts';
import { approvalSentences } from './work.ts';

/**
 * Explains every failure: what happened, why, and what to do. `task` is the task it happened to, so that the
 * commands to type name it. Total, also on failures that a newer version stored.
 */
export function explain(failure: Failure, task = 'ID'): Explanation {
  const { exit = 1, details, ...sentences } = readable(failure, task);
  return {
    kind: failure.kind,
    what: sentences.what,
    why: sentences.why,
    do: sentences.do,
    details,
    ...outputOf(failure),
    exit,
  };
}

/** Failing tests or the end of the output, if the failure has any. */
function outputOf(failure: Failure): Pick<Explanation, 'output'> {
  const cause = rootCause(failure);
  const evidence = 'evidence' in cause ? cause.evidence : noEvidence;
  const tail: unknown = 'tail' in cause ? cause.tail : undefined;
  const output =
    evidence?.failures?.length > 0
      ? failureLines(evidence)
      : typeof tail === 'string'
        ? tailLines(tail)
        : [];
  return output.length > 0 ? { output } : {};
}

/** What happened, why, and what to do. */
export function fullText(failure: Failure): string {
  const { what, why, do: remedy } = explain(failure);
  return [what, why, remedy].filter((part) => part !== '').join(' ');
}

export function oneLine(failure: Failure, width: number): string {
  return cut(explain(failure).what, width);
}

/** Total: a stored failure may lack fields that its type requires. */
function readable(failure: Failure, task: string): Sentences {
  try {
    return sentencesOf(failure, task);
  } catch (error) {
    return other(`${failure.kind}, with a damaged record (${String(error)})`);
  }
}

/** Reasons why a task does not proceed. */
const statusSentences: SentencesOf<StatusFailure> = {
  'parent-stuck': (failure) => ({
    what: `Waits for ${failure.parent}, which is ${failure.state}.`,
    why: `A task starts only after everything it depends on has landed, and ${failure.parent} will not land without you.`,
    do:
      failure.state === 'delivered'
        ? `Merge the delivered work; \`ym show ${failure.parent}\` shows where it is. Or type \`ym skip ${failure.parent}\` to continue without it.`
        : `See \`ym why ${failure.parent}\`; then \`ym retry ${failure.parent}\`, or \`ym skip ${failure.parent}\` to continue without it.`,
  }),
  'blocked-by-person': (failure, task) => ({
    what: `Blocked by a person: ${inline(failure.reason) || 'no reason was given'}.`,
    why: 'It was blocked with `ym block`.',
    do: `When it may continue, type \`ym unblock ${task}\`.`,
  }),
  'canceled-by-person': (failure, task) => ({
    what: `Canceled by a person: ${inline(failure.reason) || 'no reason was given'}.`,
    why:
      failure.removed === true
        ? 'It was removed with `ym rm`.'
        : 'It was canceled with `ym cancel`.',
    do: `If you want it after all, type \`ym retry ${task}\`.`,
  }),
  'question-open': (failure, task) => ({
    what: `Its agent asks: ${inline(failure.question) || 'the question is empty'}`.replace(
      /[^.?!]$/,
      '$&.',
    ),
    why: 'It cannot continue without an answer; its conversation is kept until then.',
    do: `Type \`ym answer ${task} "…"\`.`,
  }),
  'question-unanswered': ({ question, ms }, task) => ({
    what: `Nobody answered its agent within ${span(ms)}: ${inline(question) || 'the question is empty'}`.replace(
      /[^.?!]$/,
      '$&.',
    ),
    why: '`ask.on_timeout` is `block`: the task is blocked after `ask.timeout`. Its work is kept on its branch.',
    do: `Put the answer into the task with \`ym edit ${task}\` or \`ym tell ${task} "…"\`, then type \`ym unblock ${task}\`.`,
  }),
  'revision-proposed': ({ message, agent, changes }, task) => ({
    what: `Its agent gave up: ${inline(message) || 'no reason was given'}. ${agent} proposes to change the plan.`,
    why: `The proposal: ${changes.join(', ')} (+ new, ~ changed, - canceled). \`ym plan history\` lists it.`,
    do: `Type \`ym approve ${task}\` to store it, or \`ym reject ${task} "…"\` to try the task as it is.`,
  }),
  'run-stopped': ({ last }, task) => {
    const what = 'No agent was started: the run stopped first.';
    const cause = last === undefined ? undefined : sentencesOf(failureFrom(last), task);
    if (cause !== undefined) return { ...cause, what: `${what} ${cause.what}` };
    const why = 'Nothing is lost, and this does not count as a failure.';
    return { what, why, do: 'Type `ym resume` to continue.', exit: 4 };
  },
  'approval-needed': (failure, task) =>
    approvalSentences(
      failure,
      task,
      failure.last === undefined ? undefined : lastSentence(failure.last, task),
    ),
  superseded: ({ by }, task) => ({
    what: `Superseded by ${by}.`,
    why: 'Only one variant of a task lands. The work of the others is kept on their branches.',
    do: `\`ym diff ${task}\` shows its work.`,
  }),
  'variants-failed': ({ variants }, task) => {
    const each = variants.map(
      ({ id, failure }) => `${id}: ${sentencesOf(failureFrom(failure), id).what}`,
    );
    return {
      what: `None of its variants is finished. ${each.join(' ')}`,
      why: 'A task with several attempts lands one of them, and all of them failed.',
      do: `\`ym compare ${task}\` shows them. Type \`ym retry ${task}\` to try all of them again.`,
    };
  },
  'choice-needed': ({ variants }, task) => ({
    what: `${counted(variants.length, 'finished variant')} ${variants.length === 1 ? 'waits' : 'wait'} for your choice: ${variants.join(', ')}.`,
    why: 'One of them lands. The others are kept on their branches.',
    do: `See \`ym compare ${task}\`; then type \`ym choose ${task} N\`.`,
  }),
  'no-progress': (failure, task) =>
    tooOften(
      failure.last,
      task,
      'The agent changed nothing after its work was sent back. Last failure: ',
      'The same work would fail again, so it was not tested again.',
    ),
  'returned-too-often': (failure, task) =>
    tooOften(
      failure.last,
      task,
      `Not landed after ${counted(failure.times, 'agent start')}. Last failure: `,
      'The retries of this run are used up, so you have to decide.',
    ),
  'failed-too-often': (failure, task) =>
    tooOften(
      failure.last,
      task,
      `Failed ${counted(failure.times, 'time')}. Last failure: `,
      'After this many failures in a row, a task is not retried until you decide.',
    ),
};

/** One row per kind of failure; the type checks that none is missing. */
const sentencesByKind: SentencesOf<Failure> = {
  ...usageSentences,
  ...environmentSentences,
  ...attemptSentences,
  ...providerSentences,
  ...statusSentences,
  'critique-unsettled': (failure, task) =>
    withLast(attemptSentences['critique-unsettled'](failure, task), failure.last, task),
  'tests-not-red': (failure, task) =>
    withLast(attemptSentences['tests-not-red'](failure, task), failure.last, task),
  'probe-failed': (failure, task) =>
    probeSentences(failure, sentencesOf(failureFrom(failure.last), task)),
  trouble: ({ what, why = '', do: remedy, whose }) => ({
    what,
    why,
    do: remedy,
    exit: whose === 'machine' ? 3 : whose === 'user' ? 2 : 1,
  }),
  internal: (failure) => ({
    what: `Internal error: ${inline(failure.message)}.`,
    why: 'This is a bug in Yardmaster, not in your project or your agents.',
    do: 'Please report it with the output of `ym doctor --json`; `ym resume` continues the run.',
    exit: 70,
  }),
  other: (failure) => other(failure.message),
};

/** Exit status by kind, unless its sentences name another; 1 for all other kinds. */
const exits: ReadonlyMap<string, ExitCode> = new Map([
  ...Object.keys(usageSentences).map((kind) => [kind, 2] as const),
  ...Object.keys(environmentSentences).map((kind) => [kind, 3] as const),
]);

/** A record may hold a kind written by a newer version. */
function sentencesOf(failure: Failure, task: string): Sentences {
  if (!Object.hasOwn(sentencesByKind, failure.kind)) {
    return other(`failed for a reason unknown to this version: ${String(failure.kind)}`);
  }
  const say = sentencesByKind[failure.kind] as (failure: Failure, task: string) => Sentences;
  return { exit: exits.get(failure.kind), ...say(failure, task) };
}

function withLast(explained: Sentences, stored: Failure | undefined, task: string): Sentences {
  const last = stored === undefined ? undefined : lastSentence(stored, task);
  return last === undefined
    ? explained
    : { ...explained, details: [last, ...(explained.details ?? [])] };
}

function lastSentence(stored: Failure, task: string): string | undefined {
  const last = failureFrom(stored);
  return last.kind === 'approval-needed' ? undefined : sentencesOf(last, task).what;
}

/** Stored failures may hold another; at most this many are followed. */
const chainMax = 8;

/** The failure at the end of the chain of `last`. */
export function rootCause(failure: Failure): Failure {
  let cause = failure;
  for (let depth = 0; depth < chainMax && 'last' in cause && cause.last !== undefined; depth += 1) {
    cause = failureFrom(cause.last);
  }
  return cause;
}

/** Explains the cause at the end of the chain, led in by `lead`. */
function tooOften(last: Failure, task: string, lead: string, reason: string): Sentences {
  let cause = failureFrom(last);
  for (let depth = 0; depth < chainMax; depth += 1) {
    if (!isAboutAnother(cause)) break;
    cause = failureFrom(cause.last);
  }
  const inner = isAboutAnother(cause)
    ? other('the reasons are nested too deeply')
    : sentencesOf(cause, task);
  return {
    what: `${lead}${inner.what.charAt(0).toLowerCase()}${inner.what.slice(1)}`,
    why: `${inner.why} ${reason}`.trim(),
    details: inner.details,
    do: inner.do.includes(`ym retry ${task}`)
      ? inner.do
      : `${inner.do} Then type \`ym retry ${task}\`.`,
  };
}

/** True for failures that only wrap another one. */
function isAboutAnother(failure: Failure): failure is AboutAnother {
  const { kind } = failure;
  return kind === 'returned-too-often' || kind === 'failed-too-often' || kind === 'no-progress';
}

type AboutAnother = Extract<
  Failure,
  { kind: 'returned-too-often' | 'failed-too-often' | 'no-progress' }
>;

function other(message: string): Sentences {
  return {
    what: sentence(message),
    why: 'Nothing more was recorded.',
    do: 'See `ym log ID` and `ym doctor`.',
  };
}
