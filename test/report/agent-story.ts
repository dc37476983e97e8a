// A run with real agents: several of them, models, usage, silence, claims, questions, pauses and retries.

import type { Event, EventBody } from '../../src/model/event.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { RunSettings } from '../../src/model/run.ts';
import type { RunRecord } from '../../src/model/run-record.ts';
import type { TaskRecord } from '../../src/model/task-record.ts';
import type { EndSignal, TurnResult, Usage } from '../../src/model/turn.ts';
import { fold } from '../../src/plan/fold.ts';
import { MemoryRecords } from '../../src/record/memory-records.ts';
import { failures } from './failures.ts';
import { aTask, logOf, owner, settings } from './fixtures.ts';

const of = (id: string) => ({ run: 'r1', id, attempt: 1 });
export const begun = (id: string, slot: number, agent: string): EventBody[] => [
  {
    ...of(id),
    type: 'attempt-started',
    slot,
    fence: 1,
    agent,
    branch: `yard/r1/${id}-1`,
  },
  { ...of(id), type: 'worktree-ready', worktree: { id: `w${slot}`, dir: `/w/${slot}` }, base: 'b' },
];
type Turn = Extract<EventBody, { type: 'turn-started' }>;
export const turn = (
  id: string,
  number: number,
  slot: number,
  more: Partial<Turn> = {},
): EventBody => ({ ...of(id), type: 'turn-started', turn: number, slot, ...more });
export const ended = (id: string, number: number, result: TurnResult): EventBody => ({
  ...of(id),
  type: 'turn-ended',
  turn: number,
  result,
});
export const used = (input: number, output: number, costUsd?: number): Usage => ({
  input,
  cacheRead: input * 10,
  cacheWrite: input / 2,
  output,
  costUsd,
});
export const said = (word: EndSignal, usage?: Usage, model?: string): TurnResult => ({
  ok: true,
  tail: '',
  signal: word,
  session: 's1',
  usage,
  model,
});
export const cut = (failure: Failure): TurnResult => ({ ok: false, failure });

/** Into the gate, on the train and onto the target. */
export const landing = (id: string, coClaims: readonly string[] = []): EventBody[] => {
  const entry = { id, attempt: 1, commit: `c-${id}` };
  const entries = [coClaims.length === 0 ? entry : { ...entry, coClaims }];
  const at = { run: 'r1', candidate: `t-${id}` };
  const verdict = { id: 'passed', ms: 5 } as const;
  const judged = { tree: `tree-${id}`, gate: 'g1', verdict, cached: false };
  return [
    { ...of(id), type: 'work-captured', commit: entry.commit, tree: `tree-${id}`, by: 'agent' },
    { ...of(id), type: 'branch-judged', ...judged },
    { ...at, type: 'candidate-built', parent: 'b', commit: 'm', tree: `tree-${id}`, entries },
    { ...at, type: 'candidate-judged', ...judged },
    { ...at, type: 'landed', commit: `m-${id}`, from: 'b', entries },
  ];
};

export const crewed: RunSettings = {
  ...settings,
  jobs: 3,
  agent: 'claude',
  tokens: 2_000_000,
  costUsd: 20,
  fallback: { agent: 'codex', cooldown: 3 },
  agentPool: [
    { name: 'claude', account: 'anthropic', volunteers: true },
    { name: 'codex', account: 'codex', volunteers: true },
    { name: 'gemini', account: 'gemini', volunteers: true },
  ],
};

const opus = { model: 'opus', prefix: 'aaaa' };
const gpt = { model: 'gpt-5', reasoning: 'high', prefix: 'bbbb' };
const ids = ['api', 'schema', 'docs', 'ui', 'slow', 'query'];

/** From the start to the moment in which `docs` rests for its quota, `query` asks and `slow` is tried again. */
export const agentStory: readonly Event[] = logOf(
  ...ids.map((id): EventBody => ({ type: 'task-added', task: aTask(id) })),
  { type: 'run-started', run: 'r1', owner, settings: crewed, base: 'b' },
  ...begun('api', 1, 'claude'),
  turn('api', 1, 1, opus),
  ended('api', 1, said({ id: 'nothing' }, used(1000, 90, 0.25), 'claude-opus-4-8')),
  turn('api', 2, 1, opus),
  {
    ...of('api'),
    type: 'agent-reported',
    turn: 2,
    call: { id: 'report', about: 'decision', text: 'Keep the old route as an alias.' },
  },
  ended('api', 2, said({ id: 'claim', ids: ['schema', 'zz'] }, used(400, 60), 'claude-opus-4-8')),
  turn('api', 3, 1, opus),
  ended('api', 3, {
    ...said({ id: 'complete' }, used(200, 30, 0.05), 'claude-opus-4-8'),
    followUps: [{ title: 'Remove the alias' }],
  }),
  ...landing('api', ['schema']),
  ...begun('ui', 2, 'codex'),
  turn('ui', 1, 2, gpt),
  ended('ui', 1, cut(failures['stream-broken'])),
  turn('ui', 2, 2, gpt),
  ended('ui', 2, said({ id: 'complete' }, used(600, 40))),
  ...landing('ui'),
  ...begun('docs', 1, 'claude'),
  ...begun('query', 2, 'claude'),
  ...begun('slow', 3, 'gemini'),
  turn('docs', 1, 1, opus),
  turn('query', 1, 2, { ...opus, prefix: 'cccc' }),
  turn('slow', 1, 3),
  ended('query', 1, said({ id: 'ask', question: 'Which of the two formats is meant?' })),
  ended('docs', 1, cut({ ...failures['quota-exhausted'], resetAt: 600_000 })),
  ended('slow', 1, cut(failures['provider-server'])),
  turn('slow', 2, 3),
);

export interface Folded {
  readonly run: RunRecord | undefined;
  readonly tasks: readonly TaskRecord[];
  readonly records: MemoryRecords;
}

export function folded(events: readonly Event[]): Folded {
  const records = new MemoryRecords();
  for (const event of events) fold(records, event);
  return { run: records.run('r1'), tasks: [...records.tasks.values()], records };
}
