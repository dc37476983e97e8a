import { limits } from '../plan/limits.ts';
import type { Key } from './keys.ts';
import { formatDuration } from './units.ts';

/** Paths that only a person may let through where nobody says which. The config itself is always among them. */
export const protectDefault: readonly string[] = ['.github/**', '.gitlab-ci.yml', '.circleci/**'];

/** What judges work before it may land. A run has all of it from the commit of the target. */
export const judgingKeys: readonly Key[] = [
  {
    key: 'gate',
    type: 'choice',
    default: 'detected',
    doc: 'The word none says on purpose that nothing judges the work',
  },
  {
    key: 'gate.commands',
    type: 'list',
    default: 'detected',
    doc: 'Commands that must all pass before work may land, each run by a shell',
  },
  {
    key: 'gate.timeout',
    type: 'duration',
    default: formatDuration(limits.gateWallMs),
    doc: 'Time limit of one gate run, all commands together; a command that is run again gets the same limit for itself',
  },
  {
    key: 'gate.branch',
    type: 'choice',
    default: 'auto',
    doc: 'Whether a branch gets a gate run of its own before it queues: always, never, or auto (only if it was red before, its kind is often red, or a quick gate or a review is set up)',
  },
  {
    key: 'gate.quick',
    type: 'list',
    default: 'none',
    doc: 'Quicker commands that judge a branch by itself instead of the gate; what lands is judged by the gate',
  },
  {
    key: 'gate.reruns',
    type: 'number',
    default: `${limits.gateRerunsDefault}`,
    doc: `How often a red check is run again to find out whether it is flaky, 0 to ${limits.gateRerunsMax}`,
  },
  {
    key: 'gate.slots',
    type: 'choice',
    default: 'auto (half the cores)',
    doc: `Gates that run at once, for branches, candidates and the target together: auto or 1 to ${limits.gateSlotsMax}`,
  },
  {
    key: 'gate.cache',
    type: 'list',
    default: 'none',
    doc: 'Patterns, as in .gitignore, of untracked files that stay in the gate worktree between gate runs, such as target/',
  },
  {
    key: 'gate.recheck',
    type: 'duration',
    default: formatDuration(limits.gateRecheckMs),
    doc: 'Age of the last green gate run beyond which the target is judged again before an agent is blamed',
  },
  {
    key: 'gate.environment',
    type: 'list',
    default: 'none',
    doc: 'Commands such as node --version; a verdict counts only while their output is the same',
  },
  {
    key: 'protect',
    type: 'list',
    default: [...protectDefault, 'yardmaster.yaml'].join(', '),
    doc: 'Patterns of paths that only a person may let through; yardmaster.yaml always is one',
  },
  {
    key: 'rules.tests',
    type: 'choice',
    default: 'guard',
    doc: 'Whether tests may be deleted, emptied, skipped or weakened: guard or off',
  },
  {
    key: 'rules.max_files',
    type: 'number',
    default: 'none',
    doc: 'Files that one task may change',
  },
  {
    key: 'rules.max_lines',
    type: 'number',
    default: 'none',
    doc: 'Lines that one task may add and take away, together',
  },
  {
    key: 'review.agent',
    type: 'list',
    default: 'none',
    doc: 'Agent or agents that review work before it queues; all of them must approve',
  },
  {
    key: 'review.person',
    type: 'boolean',
    default: 'false',
    doc: 'Whether a person must approve all work with ym approve',
  },
  {
    key: 'review.rounds',
    type: 'number',
    default: `${limits.reviewRoundsDefault}`,
    doc: `Rounds of review and fixing before a person is asked, 1 to ${limits.reviewRoundsMax}`,
  },
  {
    key: 'review.retries',
    type: 'number',
    default: `${limits.verdictRetriesDefault}`,
    doc: `How often a reviewer that came to no verdict is asked again, 0 to ${limits.verdictRetriesMax}`,
  },
  {
    key: 'critique.agent',
    type: 'text',
    default: 'none',
    doc: 'Agent that looks at what a task asks for before anybody works on it',
  },
  {
    key: 'critique.improver',
    type: 'text',
    default: 'the agent of the task',
    doc: 'Agent that puts into better words what was not clear',
  },
  {
    key: 'critique.rounds',
    type: 'number',
    default: `${limits.critiqueRoundsDefault}`,
    doc: `Rounds of critique and better words, 1 to ${limits.critiqueRoundsMax}`,
  },
  {
    key: 'critique.retries',
    type: 'number',
    default: `${limits.verdictRetriesDefault}`,
    doc: `How often a critic that came to no verdict is asked again, 0 to ${limits.verdictRetriesMax}`,
  },
  {
    key: 'pipeline',
    type: 'map',
    default: 'every stage that is set up',
    doc: 'Stages of a task by its type, or default: some of critique, work, gate, review, land, in this order',
  },
];

/** How finished work gets where it belongs, and what follows. */
export const landingKeys: readonly Key[] = [
  {
    key: 'train.batch',
    type: 'choice',
    default: `auto (up to ${limits.trainBatchDefault})`,
    doc: `Branches in one candidate at most: auto or 1 to ${limits.trainBatchMax}`,
  },
  {
    key: 'train.style',
    type: 'choice',
    default: 'merge',
    doc: 'How work is put on the target: merge makes one merge commit a task, squash one plain commit, rebase keeps its commits',
  },
  {
    key: 'delivery.how',
    type: 'choice',
    default: 'land',
    doc: 'What becomes of finished work: land on the target, branch, pr for a pull request, or stack for branches on top of each other',
  },
  {
    key: 'delivery.remote',
    type: 'text',
    default: 'origin',
    doc: 'Remote that branches are pushed to for pull requests',
  },
  {
    key: 'delivery.wait',
    type: 'duration',
    default: 'off',
    doc: 'How long a run stays for open pull requests',
  },
  {
    key: 'verify.enabled',
    type: 'boolean',
    default: 'false',
    doc: 'Whether the target is looked at as a whole when a run has ended',
  },
  {
    key: 'verify.command',
    type: 'text',
    default: 'the last command of the gate',
    doc: 'Program and its words for that look, started without a shell',
  },
  {
    key: 'verify.timeout',
    type: 'duration',
    default: formatDuration(limits.verifyWallMs),
    doc: 'Time that look may take',
  },
  {
    key: 'verify.on_failure',
    type: 'choice',
    default: 'report',
    doc: 'What follows when it fails: report, fix to file a task for it, or bisect to find the landing that did it',
  },
];
