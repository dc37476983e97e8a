// A project with something of everything that a dashboard shows.
import type { AttemptRecord } from '../../src/model/history.ts';
import type { TaskRecord } from '../../src/model/task-record.ts';
import type { LastActions } from '../../src/report/view/slot.ts';
import type { View } from '../../src/report/view/view.ts';
import { agentStory } from './agent-story.ts';
import { failures } from './failures.ts';
import { aCandidate, aConversation, anAttempt, aRecord, aRun, settings } from './fixtures.ts';
import { recordsOf } from './records-of.ts';
import { viewed } from './viewed.ts';

const commit = '3f2c1ab'.padEnd(40, '0');
const tree = 'f'.repeat(40);
const minute = 60_000;
export const busyNow = 41 * minute;

const working = (
  id: string,
  slot: number,
  agent: string,
  turns: number,
  since: number,
): TaskRecord =>
  aRecord(id, undefined, {
    attempt: anAttempt(
      { id: 'working', slot, turn: turns, since: busyNow - since },
      { agent, branch: `yard/r1/${id}-1`, ...aConversation({ turns }) },
    ),
  });

const records: readonly TaskRecord[] = [
  aRecord('login-form', { id: 'landed', commit, run: 'r1', at: busyNow - 2 * minute }),
  aRecord('seeds', { id: 'landed', commit, run: 'r1', at: busyNow - 15 * minute }),
  working('search-index', 1, 'claude', 2, 370_000),
  working('cart-total', 2, 'codex', 1, 115_000),
  working('docs-api', 3, 'gemini', 1, 20_000),
  aRecord('pay-retry', undefined, {
    attempt: anAttempt({
      id: 'asking',
      question: 'Retry on 409 too, or only 5xx?',
      since: busyNow - 4 * minute,
    }),
  }),
  aRecord('auth-cookie', undefined, {
    attempt: anAttempt({
      id: 'awaiting',
      commit,
      tree,
      since: busyNow - 12 * minute,
      failure: failures['approval-needed'],
    }),
  }),
  ...['tax-rate', 'greet-de'].map((id) =>
    aRecord(id, undefined, {
      attempt: anAttempt({ id: 'landing', commit, tree, since: busyNow - 72_000, candidate: 'c4' }),
    }),
  ),
  aRecord('schema-v3', undefined, {
    attempt: anAttempt({ id: 'queued', commit, tree, since: busyNow - 20_000 }),
  }),
  aRecord('mail-templates'),
  aRecord('checkout-flow', undefined, { after: ['cart-total', 'tax-rate'] }),
  aRecord('invoice-pdf', undefined, { after: ['checkout-flow'] }),
  aRecord('geo-lookup', { id: 'failed', failure: failures['gate-red'], run: 'r1' }),
];

const lastActions: LastActions = new Map([
  [
    'yard/r1/search-index-1',
    {
      text: 'Edit src/index/build.ts',
      at: busyNow - 3_000,
      bytes: 9,
      activity: [3, 0, 9, 20, 12, 4],
    },
  ],
  [
    'yard/r1/cart-total-1',
    { text: 'Bash npm test', at: busyNow - 12_000, bytes: 9, activity: [5, 1] },
  ],
]);

export const busyRun = aRun({
  settings: { ...settings, jobs: 4, costUsd: 20 },
  spent: { starts: 9, tokens: 1_900_000, costUsd: 4.21, turns: 12 },
  train: {
    candidates: [aCandidate('c4', ['tax-rate', 'greet-de'])],
    runningGates: [
      {
        slot: 0,
        candidate: 'c4',
        count: 2,
        commit,
        tree,
        tasks: ['tax-rate', 'greet-de'],
        since: busyNow - 72_000,
      },
    ],
    landed: 21,
  },
});

const landing = { attempt: 1, commit, ms: 362_000 };
const past = {
  landings: [
    { ...landing, task: 'login-form', at: busyNow - 2 * minute },
    { ...landing, task: 'seeds', at: busyNow - 15 * minute },
  ],
  usualGateMs: 105_000,
  forecast: { endAt: busyNow + 18 * minute, soonestAt: busyNow + 16 * minute },
  endsAt: new Map([
    ['cart-total', busyNow + 4 * minute],
    ['checkout-flow', busyNow + 18 * minute],
  ]),
  unblocks: new Map([
    ['cart-total', 2],
    ['tax-rate', 2],
    ['checkout-flow', 1],
  ]),
};

export const busyView: View = viewed(records, busyRun, busyNow, { lastActions, past });
export const busyRecords = records;
export const busyPast = past;

/** Attempts of another story, in the same run: what matters is that there are some. */
export const busyAttempts: readonly AttemptRecord[] = [...recordsOf(agentStory).attempts.values()];
