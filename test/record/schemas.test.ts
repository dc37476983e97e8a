import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSchemas } from '../../src/files/schemas.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import type { AgentCall, EndSignal } from '../../src/model/turn.ts';
import { memoryStore } from '../memory/store.ts';
import { allTamperings, allViolations, anyWorkEvent, outcomes } from '../report/any-work.ts';
import { allFailures } from '../report/failures.ts';
import { logOf } from '../report/fixtures.ts';
import { trainStory } from '../report/train-story.ts';
import { withoutUndefined } from '../simulation/commands.ts';
import {
  added,
  built,
  decided,
  failed,
  good,
  landed,
  owner,
  red,
  retried,
  started,
  task,
  wish,
  worked,
} from './life.ts';
import { eventSchema } from './published.ts';

const usage = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4, costUsd: 0.5 };
const facts = {
  usage,
  session: 's1',
  model: 'gpt-5',
  next: ['a'],
  followUps: [{ title: 'More', body: 'text', type: 'task', priority: 3 }],
};
const endings: readonly Exclude<EndSignal, { id: 'nothing' }>[] = [
  { id: 'complete' },
  { id: 'gave-up', message: 'too hard' },
  { id: 'ask', question: 'Which?' },
  { id: 'claim', ids: ['a'] },
];
const words: readonly EndSignal[] = [...endings, { id: 'nothing' }];
const calls: readonly AgentCall[] = [
  ...endings,
  { id: 'report', about: 'decision', text: 'This one.' },
  { id: 'next', ids: [] },
];

/** Events as a writer passes them to the store. */
function bodyOf({ seq: _seq, at: _at, version: _version, ...body }: Event): EventBody {
  return body as EventBody;
}

describe('The published schemas', () => {
  it('allow no field beside the published ones', () => {
    const { oneOf } = JSON.parse(jsonSchemas()['event.json'] ?? '') as {
      oneOf: { additionalProperties: boolean }[];
    };
    expect(oneOf.every((each) => each.additionalProperties === false)).toBe(true);
  });

  it('hold for the events a store gives back', async () => {
    const store = memoryStore();
    const of = { run: 'r', id: 'b', attempt: 1 };
    good(await store.append(1, [added('a'), added('b'), started('r')]));
    good(await store.append(1, [{ type: 'task-changed', task: task('b', [], { agent: 'x' }) }]));
    good(await store.append(1, [decided('b', 'block'), retried('b')]));
    good(await store.claim(2, wish('r', 'a')));
    good(await store.claim(2, wish('r', 'b')));
    good(await store.append(3, [...worked('r', 'a'), built('r', ['a'])], 'r'));
    const candidate = { run: 'r', candidate: 'c1' };
    const ofMerge = { onto: 'o', log: '', stat: '' };
    const verdict = { id: 'not-run', failure: red } as const;
    good(
      await store.append(4, [
        { type: 'attempt-adopted', ...of, from: 'r0', fence: 7, slot: 2 },
        { type: 'branch-gate-started', ...of, tree: 't', gateSlot: 0 },
        { type: 'work-left-out', ...of, files: ['inner'], because: 'nested' },
        { type: 'turn-ended', ...of, turn: 1, result: { ok: false, failure: red } },
        {
          type: 'turn-started',
          ...of,
          turn: 2,
          slot: 1,
          agent: 'codex',
          model: 'gpt-5',
          reasoning: 'high',
          prefix: 'aaaa',
        },
        ...calls.map((call) => ({ type: 'agent-reported', ...of, turn: 2, call }) as const),
        { type: 'target-merged', ...of, merged: { ...ofMerge, id: 'clean', commit: 'm' } },
        { type: 'target-merged', ...of, merged: { ...ofMerge, id: 'conflicts', files: ['a'] } },
        { type: 'target-merged', ...of, merged: { ...ofMerge, id: 'none', cause: 'unrelated' } },
        ...words.map(
          (signal) =>
            ({
              type: 'turn-ended',
              ...of,
              turn: 2,
              result: { ...facts, ok: true, tail: '', signal },
            }) as const,
        ),
        { type: 'turn-ended', ...of, turn: 2, result: { ...facts, ok: false, failure: red } },
        { type: 'work-planned', ...of, filed: ['c'] },
        { type: 'work-shared', ...of, worker: 'w', refs: [{ ref: 'r', commit: 'c' }] },
        { type: 'task-decided', id: 'b', decision: { kind: 'answer', text: 'That one.' } },
        { type: 'merge-refused', ...of, failure: red },
        { type: 'attempt-given-up', ...of, failure: red },
        { ...failed('r', 'b'), kept: 'refs/yard/keep/b' } as ReturnType<typeof failed>,
        { type: 'landing-waits', ...candidate, failure: red, until: 9 },
        { type: 'candidate-judged', ...candidate, tree: 't', gate: 'g', verdict, cached: true },
        { type: 'candidate-dropped', ...candidate, reason: { id: 'target-moved', to: 'x' } },
        { type: 'target-check-started', run: 'r', commit: 'x', reason: 'blame' },
        { type: 'target-check-ended', run: 'r' },
        { type: 'target-judged', run: 'r', commit: 'x', tree: 't', gate: 'g', verdict },
        { type: 'step-paused', run: 'r', step: 'capture a 1', failure: red },
        { type: 'step-resumed', run: 'r', step: 'capture a 1' },
        { type: 'message-sent', id: 'a', text: 'Use tabs.' },
        {
          type: 'note-added',
          kind: 'finding',
          text: 'Tabs are dropped.',
          labels: ['ui'],
          paths: ['a.ts'],
          origin: { by: 'agent', agent: 'codex', task: 'a', attempt: 1, run: 'r' },
          supersedes: 1,
        },
        { type: 'note-removed', note: 1, origin: { by: 'person' }, reason: 'fixed' },
        { type: 'source-synced', run: 'r', id: 'a', state: 'claimed' },
        { type: 'source-sync-failed', run: 'r', id: 'b', note: 'no' },
        { type: 'wait-over', id: 'a', wait: 'pull 1' },
        {
          type: 'variants-added',
          run: 'r',
          id: 'b',
          base: 'x',
          variants: ['b.v1', 'b.v2'].map((id) => ({ ...task(id), variantOf: 'b' })),
          choose: 'person',
        },
        { type: 'choice-asked', run: 'r', id: 'b', finished: ['b.v1'] },
        {
          type: 'waits-checked',
          run: 'r',
          waits: ['pull 1', 'file x'],
          over: ['pull 1'],
          notes: [{ wait: 'file x', note: 'no' }],
        },
        { type: 'landing-dropped', id: 'a', commit: 'x', target: 'main', tip: 'b' },
        { type: 'landing-restored', id: 'a', commit: 'x', target: 'main', tip: 'c' },
        landed('r', ['a']),
        {
          type: 'landed',
          ...candidate,
          commit: 'm',
          from: 'b',
          entries: [{ id: 'a', attempt: 1, commit: 'c', coClaims: ['b'] }],
        },
        ...trainStory
          .filter(({ type }) => type !== 'run-started' && type !== 'run-ended')
          .map(bodyOf),
        { type: 'planner-started', run: 'r', call: 1, agent: 'x', model: 'm', reasoning: 'high' },
        { type: 'batch-planned', run: 'r', call: 1, plan: { source: 'planner', ids: ['a'] } },
        { type: 'batch-planned', run: 'r', plan: { source: 'skipped', reason: 'parse_error' } },
        { type: 'revision-started', run: 'r', id: 'a', call: 1, agent: 'x', model: 'm' },
        {
          type: 'plan-proposed',
          run: 'r',
          id: 'a',
          call: 1,
          agent: 'x',
          outcome: {
            id: 'proposed',
            added: [task('n')],
            changed: [],
            canceled: [{ id: 'b', reason: 'x' }],
          },
        },
        {
          type: 'pulls-seen',
          run: 'r',
          branches: ['yard/r/a-1'],
          states: [
            { branch: 'yard/r/a-1', number: 1, url: 'u', state: 'merged', checks: 'passed' },
          ],
        },
        { type: 'slots-changed', run: 'r', change: { id: 'pause', slot: 1 } },
        { type: 'slots-changed', run: 'r', change: { id: 'pace', starts: 1, windowMs: 2_000 } },
        { type: 'run-reloaded', run: 'r' },
        {
          type: 'worker-changed',
          run: 'r',
          worker: 'w1',
          host: 'h',
          labels: ['gpu'],
          slots: 2,
          state: 'joined',
        },
        { type: 'stop-asked', run: 'r', how: 'now', by: 'a person' },
        { type: 'run-ended', run: 'r', stop: { reason: 'stop-asked' } },
        { type: 'run-resumed', run: 'r', owner: owner(3) },
      ]),
    );
    const events = good(await store.events({}));
    for (const event of events) {
      expect(eventSchema.problems(withoutUndefined(event)), event.type).toEqual([]);
    }
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(eventSchema.root.oneOf?.map(({ properties }) => properties?.type?.const)),
    );
  });

  it('hold for the settings of a run with several agents', () => {
    const plain = started('r');
    if (plain.type !== 'run-started') throw new Error('not a start');
    const member = { name: 'claude', account: 'a', volunteers: true };
    const more = {
      tokens: 5,
      costUsd: 0.5,
      agentPool: [
        { ...member, count: 2, types: ['task'], labels: ['x'], role: 'planner', waitMs: 5 },
        { ...member, model: 'opus:high' },
      ],
      models: { default: 'x', byPriority: { P0: 'y' }, byType: { bug: 'z' } },
      fallback: { agent: 'codex', cooldown: 3 },
      quotaWaitMs: 1,
      providerRetries: 2,
      silentTurns: 3,
      waitForTasksMs: 4,
    };
    const event = { ...plain, seq: 1, at: 1, version: 1 };
    const rich = { ...event, settings: { ...plain.settings, ...more } };
    expect(eventSchema.problems(rich)).toEqual([]);
    const odd = {
      ...event,
      settings: { ...plain.settings, agentPool: [{ ...member, role: 'king' }] },
    };
    expect(eventSchema.problems(odd)).not.toEqual([]);
  });

  it('hold for all events about captured work', () => {
    const of = { run: 'r', id: 'a', attempt: 1 };
    const captured = {
      ...of,
      type: 'work-captured',
      commit: 'c',
      tree: 't',
      by: 'person',
    } as const;
    const changes = { files: ['a'], count: 1, added: 2, removed: 3 };
    const issues = logOf(
      { ...captured, changes, violations: allViolations },
      { ...of, type: 'tampering-seen', turn: 1, found: allTamperings },
      ...Object.values(outcomes).map((outcome) => {
        return { type: 'run-verified', run: 'r', outcome } as const;
      }),
      { type: 'target-moved', run: 'r', from: 'a', to: 'b', rewound: true },
    ).flatMap((event) => eventSchema.problems(event));
    expect(issues).toEqual([]);
    const odd = { ...captured, violations: [{ kind: 'too-loud' }], seq: 1, at: 1, version: 1 };
    expect(eventSchema.problems(odd)).not.toEqual([]);
  });

  it('hold for any event between an agent and the train', () => {
    const any = anyWorkEvent(fc.constant('a'), fc.constant('r'), fc.constant(red));
    fc.assert(
      fc.property(any, (body) => {
        const [event] = logOf(body);
        expect(eventSchema.problems(event)).toEqual([]);
      }),
    );
  });

  it('hold for the settings of train, review and delivery', () => {
    const plain = started('r');
    if (plain.type !== 'run-started') throw new Error('not a start');
    const settings = {
      ...plain.settings,
      gateSlots: 2,
      train: { batch: 8, style: 'squash' },
      branchGate: 'auto',
      quickGate: true,
      review: { reviewers: ['codex'], person: true, rounds: 3, retries: 1 },
      critique: { critic: 'codex', improver: 'x', rounds: 3, retries: 1 },
      pipelines: { default: ['work', 'gate', 'review', 'land'] },
      verify: 'bisect',
      delivery: 'stack',
    };
    const event = { ...plain, settings, seq: 1, at: 1, version: 1 };
    expect(eventSchema.problems(event)).toEqual([]);
    const odd = { ...event, settings: { ...settings, pipelines: { docs: ['dance'] } } };
    expect(eventSchema.problems(odd)).not.toEqual([]);
  });

  it('know every kind of failure, and no other', () => {
    const problems = (failure: object) =>
      eventSchema.problems({
        type: 'step-paused',
        run: 'r',
        step: 's',
        failure,
        seq: 1,
        at: 1,
        version: 1,
      });
    expect(allFailures.flatMap(problems)).toEqual([]);
    expect(problems({ kind: 'solar-flare' })).not.toEqual([]);
  });

  it('refuse what is no event', () => {
    const event = { ...added('a'), seq: 1, at: 1, version: 1 };
    expect(eventSchema.problems(event)).toEqual([]);
    expect(eventSchema.problems({ ...event, more: 1 })).not.toEqual([]);
    expect(eventSchema.problems({ ...event, seq: 0 })).not.toEqual([]);
    expect(eventSchema.problems({ ...event, type: 'moon-rose' })).not.toEqual([]);
  });
});
