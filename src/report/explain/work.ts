import type { AttemptFailure, StatusFailure } from '../../model/failure.ts';
import { isForPerson, type Violation } from '../../model/violation.ts';
import { binarySize, counted } from '../format/amount.ts';
import { shortCommit, span } from '../format/time.ts';
import { inline, outputSentence, type Sentences, type SentencesOf } from './explanation.ts';
import { byGravity, findingText, tamperingText, violationText } from './findings.ts';

type WorkFailure = Extract<
  AttemptFailure,
  {
    kind:
      | 'conflict'
      | 'rules-broken'
      | 'finish-failed'
      | 'run-refused'
      | 'tests-not-red'
      | 'tampered'
      | 'review-failed'
      | 'critique-unsettled'
      | 'target-taken'
      | 'landing-dropped'
      | 'target-unrelated'
      | 'objects-missing'
      | 'delivery-failed';
  }
>;

/** Advice about tests that do not fail as they should, before a retry. */
const beforeRetry: Readonly<
  Record<Extract<WorkFailure, { kind: 'tests-not-red' }>['found'], string>
> = {
  passed: '',
  'no-test': '. If docs/gate.md does not list your test runner, let it print TAP',
  'other-tests': '',
  'too-many':
    ', make tests that fail without the task pass first, or split the task so that fewer tests are written at once',
};

/** Names the commits that the work conflicts with. If several changed the files, any of them may be the one. */
function conflictSentence({
  files,
  target,
  changedBy = '',
}: Extract<WorkFailure, { kind: 'conflict' }>): string {
  const where = inline(files.join(', ')) || 'unknown files';
  const commits = changedBy.split('\n').flatMap((line) => /^[0-9a-f]+/.exec(line)?.[0] ?? []);
  const [newest = shortCommit(target), second, third] = commits;
  if (second === undefined) return `Conflicts with ${newest} in ${where}.`;
  const named = third === undefined ? `${newest} and ${second}` : `${newest}, ${second} and others`;
  return `Conflicts with the target in ${where}, which ${named} changed.`;
}

/** Finished work stopped by rules, reviewers, git or the delivery. */
export const workSentences: SentencesOf<WorkFailure> = {
  conflict: (failure, task) => ({
    what: conflictSentence(failure),
    why: `The target and ${failure.branch} changed the same lines or files.`,
    do:
      `See the work with \`ym diff ${task}\`. Type \`ym resolve ${task}\` to resolve it yourself, or ` +
      `\`ym retry ${task}\` to start over from the new target; the old work stays on its branch.`,
    ...detailed([
      ...logLines('On the target:', failure.targetLog),
      ...logLines('On the branch:', failure.branchLog),
    ]),
  }),
  'rules-broken': (failure, task) => {
    const [first, ...further] = failure.violations.map(violationText);
    return {
      what: `The work breaks ${counted(failure.violations.length, 'rule')}: ${first ?? 'which one is unknown.'}`,
      why: 'The rules come from the target; an attempt cannot change them for itself.',
      do: `Look at \`ym diff ${task}\`, then type \`ym retry ${task}\` to have an agent start over; the old work stays on its branch.`,
      ...detailed(further),
    };
  },
  'finish-failed': ({ command, exit, tail, log }, task) => ({
    what: `\`${inline(command)}\` of \`worktree.finish\` failed ${exit < 0 ? '' : `(exit ${exit}) `}on what the agent left.`,
    why: outputSentence(tail, 'It printed nothing.'),
    do: `Read ${log}. If the command is wrong, change \`worktree.finish\` in yardmaster.yaml and commit that; then type \`ym retry ${task}\`.`,
  }),
  'run-refused': explainRefused,
  'tests-not-red': ({ found, tests }, task) => ({
    what: {
      passed: 'The tests that were written first do not fail: the gate passes with them.',
      'no-test':
        'The gate fails with the tests that were written first, but names none of them as failing.',
      'other-tests': `More fails than the tests that were written first: ${inline(tests.join('; '))}.`,
      'too-many':
        'So many tests fail that not all can be compared with the tests that were written first.',
    }[found],
    why: 'Tests that are written first must fail because the work is missing, and for no other reason.',
    do: `Read \`ym log ${task}\`${beforeRetry[found]}, then type \`ym retry ${task}\`. If the task cannot be tested first, leave \`tests\` out of its \`pipeline\`.`,
  }),
  tampered: (failure, task) => {
    const [first, ...further] = failure.found.map(tamperingText);
    return {
      what: first ?? 'Something outside the worktree was changed.',
      why: 'It changed while the agent was running, and an agent may only change its own worktree.',
      do: `Undo what you did not change yourself, read \`ym log ${task}\`, then type \`ym retry ${task}\`.`,
      ...detailed(further),
    };
  },
  'review-failed': (failure, task) => ({
    what: `The agent ${failure.reviewer} gave no verdict: ${inline(failure.cause)}.`,
    why: 'An answer that cannot be understood is neither approval nor rejection.',
    do: `Check the agent with \`ym doctor\` and read \`ym log ${task}\`; yardmaster.yaml names the reviewers.`,
  }),
  'critique-unsettled': (failure, task) =>
    failure.findings.length === 0 && failure.last !== undefined
      ? {
          what: 'The task critique gave no verdict.',
          why: 'An answer that cannot be understood is neither approval nor rejection, so no work was started.',
          do: `Check the agent with \`ym doctor\` and read \`ym log ${task} --critique\`, then type \`ym retry ${task}\`.`,
        }
      : {
          what: `The task is still unclear after ${counted(failure.rounds, 'round')}.`,
          why: 'Work on an unclear task is wasted, so none was started.',
          do: `Clarify the task in its source, then type \`ym retry ${task}\`.`,
          ...detailed(byGravity(failure.findings).map(findingText)),
        },
  'target-unrelated': (failure) => ({
    what: `The target is at ${shortCommit(failure.to)} now, which has no history in common with ${shortCommit(failure.from)}.`,
    why: 'Work of this project began on the old history, and git cannot merge the two. Nothing was changed.',
    do: `If that was a mistake, move the branch back to ${shortCommit(failure.from)} with git and type \`ym resume\`. Otherwise start again on the new history: \`ym retry ID\` for each task with work.`,
    exit: 3,
  }),
  'landing-dropped': (failure, task) => ({
    what: `It landed as ${shortCommit(failure.commit)}, but ${failure.target} ${failure.behind ? 'of this clone lacks' : 'no longer contains'} that commit.`,
    why: `${failure.behind ? `Another clone has landed it; ${failure.target} is at ${shortCommit(failure.tip)} here` : `${failure.target} was moved to ${shortCommit(failure.tip)}`}. Tasks that depend on this one do not start without it.`,
    do: failure.behind
      ? `Update ${failure.target} here, for example with \`git pull\`. If that work is lost, type \`ym retry ${task}\` to have it done again.`
      : `Type \`ym retry ${task}\` to have the work done again, or \`ym skip ${task}\` to continue without it. If the branch was ` +
        `moved by mistake, bring the commit back with git; the next \`ym run\` or \`ym resume\` finds it.`,
  }),
  'target-taken': (failure) => ({
    what:
      failure.task === ''
        ? `The target was moved back, from ${shortCommit(failure.from)} to ${shortCommit(failure.to)}.`
        : `The agent of ${failure.task} moved the target itself, from ${shortCommit(failure.from)} to ${shortCommit(failure.to)}.`,
    why:
      failure.task === ''
        ? 'Landed work is missing from it now, so nothing more lands until you have checked it.'
        : 'The new commits were never tested, so nothing more lands on top of them.',
    do:
      failure.task === ''
        ? `See what is gone with \`git log ${shortCommit(failure.to)}..${shortCommit(failure.from)}\`. Leave it as it is, or move the ` +
          `branch back to ${shortCommit(failure.from)} with git; then type \`ym resume\`. Other work lands without what you dropped.`
        : `See \`git log ${shortCommit(failure.from)}..${shortCommit(failure.to)}\`. Keep it, or move the branch back to ` +
          `${shortCommit(failure.from)} with git; then type \`ym resume\`.`,
  }),
  'objects-missing': (failure) => ({
    what: `The repository lacks objects that the target needs, including ${failure.object}.`,
    why: 'They were deleted or damaged, so git cannot read the files of the target. Nothing more lands; the work of agents is still in their worktrees.',
    do: 'List them with `git fsck`. Get them back with `git fetch --refetch` from a remote that has them, or copy `.git/objects` from a backup or another clone; then type `ym resume`.',
    exit: 3,
  }),
  'delivery-failed': (failure) => ({
    what: `Could not deliver the finished work as ${deliveryNames[failure.how] ?? failure.how}: ${inline(failure.cause)}.`,
    why: 'The work is tested and kept; only the delivery failed.',
    do:
      failure.how === 'branch'
        ? 'Fix what git complains about, then type `ym resume`.'
        : 'Check the remote with `git push --dry-run` and the sign-in with `gh auth status`, then type `ym resume`.',
    exit: 3,
  }),
};

function explainRefused(failure: Extract<WorkFailure, { kind: 'run-refused' }>): Sentences {
  const { command, exit, limit, tail, log } = failure;
  const isOutput = limit?.id === 'output' || limit?.id === 'line';
  const key = isOutput ? 'limits.output' : 'gate.timeout';
  const crossed = isOutput
    ? `printed more than ${binarySize(limit.value)} (\`${key}\`) and was stopped`
    : `did not finish within ${span(limit?.value ?? 0)} (\`${key}\`)`;
  const how = limit !== undefined ? crossed : exit < 0 ? 'failed' : `failed (exit ${exit})`;
  const raise = limit === undefined ? '' : ` raise \`${key}\`,`;
  return {
    what: `\`${inline(command)}\` of \`run.before\` ${how}, so the run ends.`,
    why: outputSentence(tail, 'It printed nothing.'),
    do: `Read ${log}. Fix what it reports,${raise} or change \`run.before\` in yardmaster.yaml and commit that; then type \`ym resume\`. To skip it and the check of the target, add \`--no-preflight\`.`,
    exit: 3,
  };
}

/** Delivered work that was declined: for a blocked task there is nothing left to deliver. */
export function declinedSentences(
  { cause }: Extract<WorkFailure, { kind: 'delivery-failed' }>,
  task: string,
): Pick<Sentences, 'what' | 'why' | 'do'> {
  return {
    what: `The finished work was declined: ${inline(cause)}.`,
    why: 'The pull request was closed without merging; the work stays on its branch.',
    do:
      `Type \`ym retry ${task}\` to have an agent start over, \`ym cancel ${task}\` to give it up, or ` +
      `\`ym skip ${task}\` to count it as done.`,
  };
}

const deliveryNames: Readonly<Record<string, string>> = {
  branch: 'a branch',
  pr: 'a pull request',
  stack: 'a stack of pull requests',
};

type Approval = Extract<StatusFailure, { kind: 'approval-needed' }>;

/** Everything needed to decide about an approval. `last` explains the last failure, if any. */
export function approvalSentences(
  failure: Approval,
  task: string,
  last: string | undefined,
): Sentences {
  return {
    what: `Waits for your approval: ${approvalReason(failure)}.`,
    why: 'The work is kept; it lands only if you approve it.',
    do:
      `Look at \`ym diff ${task}\`; then type \`ym approve ${task}\` to let it land, or ` +
      `\`ym reject ${task} "why"\` to send it back to its agent.`,
    ...detailed([
      ...(last === undefined ? [] : [last]),
      ...(failure.violations ?? []).map(violationText),
      ...(failure.found ?? []).map(tamperingText),
      ...byGravity(failure.findings ?? []).map(findingText),
    ]),
  };
}

function rulesOf(violations: readonly Violation[]): string {
  const inline = violations.map(({ kind }) => ruleNames[kind]);
  return [...new Set(inline)].join(', ');
}

const ruleNames: Readonly<Record<Violation['kind'], string>> = {
  'protected-path': 'protected path',
  'gate-changed': 'gate changed',
  'out-of-scope': 'outside its paths',
  'too-large': 'too large',
  'test-deleted': 'test deleted',
  'test-emptied': 'test emptied',
  'test-skipped': 'test skipped',
  'test-weakened': 'test weakened',
  'nested-repository': 'nested repository',
  'packages-committed': 'installed packages committed',
  'tests-first': 'tests first',
  'lines-dropped': 'lines dropped',
  'branch-not-merged': 'branch not merged',
  'branch-dropped': 'changes of the branch dropped',
};

function approvalReason({ because, rounds = 0, violations = [] }: Approval): string {
  switch (because) {
    case 'rules':
      return violations.every(isForPerson)
        ? 'it changes files that only you may approve'
        : `it breaks rules of the target (${rulesOf(violations)})`;
    case 'tampering':
      return 'something outside its worktree changed while its agent was running';
    case 'review-limit':
      return `reviewers still want changes after ${counted(rounds, 'round')}`;
    case 'review-oscillates':
      return 'reviewers keep asking for the same changes';
    case 'review-failed':
      return 'a reviewer gave no verdict';
    case 'review-budget':
      return 'the remaining budget does not cover another review';
    case 'asked-for':
      return 'the config requires it';
    default:
      return 'the reason was not recorded';
  }
}

const detailsMax = 16;

function detailed(lines: readonly string[]): Pick<Sentences, 'details'> {
  if (lines.length === 0) return {};
  const more = lines.length - detailsMax;
  if (more <= 0) return { details: lines };
  return { details: [...lines.slice(0, detailsMax - 1), `and ${more + 1} more`] };
}

const logLinesMax = 5;

function logLines(title: string, log: string | undefined): string[] {
  const lines = (log ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? [] : lines.slice(0, logLinesMax).map((line) => `${title} ${line}`);
}
