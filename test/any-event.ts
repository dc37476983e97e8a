import fc from 'fast-check';
import type { EventBody } from '../src/model/event.ts';
import { anyWorkEvent } from './report/any-work.ts';
import { crash, owner, red, settings, task } from './story.ts';

const ids = ['a', 'b', 'c'];
const anyId = fc.constantFrom(...ids);
const anyWaits = fc.subarray(['file x', 'pull 1', 'until 1970-01-01']);
const anyAttempt = fc.integer({ min: 1, max: 3 });
const of = fc.record({ run: fc.constant('r1'), id: anyId, attempt: anyAttempt });
const entry = fc.record({ id: anyId, attempt: anyAttempt, commit: fc.constant('x') });
const candidate = fc.record({
  run: fc.constant('r1'),
  candidate: fc.constantFrom('c1', 'c2'),
});
const prefix = (name: string, count: number) => ({
  commit: `${name}-${count}`,
  tree: `tree-${name}-${count}`,
});
const verdict = fc.constantFrom(
  { id: 'passed', ms: 1 } as const,
  { id: 'failed', ms: 1, failure: red } as const,
  { id: 'not-run', failure: crash } as const,
);

/** Any event in any order; most make no sense when they occur. */
export const anyEvent: fc.Arbitrary<EventBody> = fc.oneof(
  { weight: 10, arbitrary: anyWorkEvent(anyId, fc.constant('r1'), fc.constantFrom(crash, red)) },
  fc
    .tuple(anyId, fc.subarray(ids))
    .map(([id, after]) => ({ type: 'task-added', task: task(id, { after }) }) as const),
  fc
    .tuple(anyId, anyWaits, fc.constantFrom('task-added', 'task-changed'))
    .map(([id, wait, type]) => {
      return { type, task: task(id, { wait }) } as const;
    }),
  fc.tuple(anyId, fc.constantFrom('open', 'claimed', 'closed')).map(([id, state]) => {
    return { type: 'source-synced', run: 'r1', id, state } as const;
  }),
  anyId.map((id) => ({ type: 'source-sync-failed', run: 'r1', id, note: 'no' }) as const),
  anyId.map((id) => ({ type: 'wait-over', id, wait: 'file x' }) as const),
  anyId.map((id) => {
    const variants = [1, 2].map((n) => task(`${id}.v${n}`, { variantOf: id }));
    const terms = { choose: 'auto', chooser: 'other', waitMs: 1 } as const;
    return { type: 'variants-added', run: 'r1', id, base: 'b', variants, ...terms } as const;
  }),
  anyId.map((id) => {
    return { type: 'choice-asked', run: 'r1', id, finished: [`${id}.v1`] } as const;
  }),
  anyWaits.map((waits) => {
    const of = { type: 'waits-checked', run: 'r1', waits, over: waits.slice(1) } as const;
    return { ...of, notes: [{ wait: 'file x', note: 'no' }] };
  }),
  fc
    .tuple(
      anyId,
      fc.constantFrom('retry', 'cancel', 'skip', 'block', 'unblock', 'approve', 'reject'),
    )
    .map(([id, kind]) => ({ type: 'task-decided', id, decision: { kind, reason: 'x' } }) as const),
  anyId.map((id) => {
    const decision = { kind: 'hand-in', commit: 'h', ref: 'refs/yard/hand/h' } as const;
    return { type: 'task-decided', id, decision } as const;
  }),
  fc.tuple(anyId, anyAttempt, fc.constantFrom('hold', 'release')).map(([id, attempt, kind]) => {
    const decision = kind === 'hold' ? { kind, attempt, by: owner } : { kind, by: owner };
    return { type: 'task-decided', id, decision } as EventBody;
  }),
  anyId.map((id) => ({ type: 'message-sent', id, text: 'x' }) as const),
  anyId.map((id) => {
    const origin = { by: 'agent', agent: 'x', task: id, attempt: 1, run: 'r1' } as const;
    const about = { labels: ['x'], paths: ['a.ts'], supersedes: 1 };
    return { type: 'note-added', kind: 'decision', text: 'x', origin, ...about } as const;
  }),
  fc.constant({ type: 'note-removed', note: 1, origin: { by: 'person' }, reason: 'x' } as const),
  fc
    .tuple(
      anyId,
      fc.constantFrom('landing-dropped', 'landing-restored'),
      fc.constantFrom('c1-1', 'c1-2', 'c2-1'),
    )
    .map(([id, type, commit]) => ({ type, id, commit, target: 'main', tip: 'b' }) as const),
  fc.constant({ type: 'run-started', run: 'r1', owner, settings: settings(), base: 'b' } as const),
  fc.constant({ type: 'run-resumed', run: 'r1', owner } as const),
  fc.constant({ type: 'run-resumed', run: 'r1', owner, heardAt: 5 } as const),
  fc
    .constantFrom(
      { id: 'number', jobs: 3 } as const,
      { id: 'number', jobs: 1 } as const,
      { id: 'pause', slot: 1 } as const,
      { id: 'resume', slot: 1 } as const,
      { id: 'pace', starts: 1, windowMs: 2_000 } as const,
    )
    .map((change) => ({ type: 'slots-changed', run: 'r1', change }) as const),
  fc.constant({ type: 'run-reloaded', run: 'r1' } as const),
  fc.record({
    type: fc.constant('worker-changed' as const),
    run: fc.constant('r1'),
    worker: fc.constantFrom('w1', 'w2'),
    host: fc.constant('h'),
    labels: fc.constant([]),
    slots: fc.nat(4),
    state: fc.constantFrom('joined', 'draining', 'ended', 'lost'),
  }),
  fc.constant({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' } as const),
  fc.constant({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } } as const),
  of.map((event) => ({
    type: 'attempt-started' as const,
    ...event,
    slot: 1,
    fence: 1,
    agent: 'x',
    branch: `yard/r1/${event.id}-${event.attempt}`,
  })),
  of.map((event) => ({
    type: 'attempt-adopted' as const,
    ...event,
    from: 'r0',
    fence: 2,
    slot: 1,
  })),
  of.map((event) => ({
    type: 'worktree-ready' as const,
    ...event,
    worktree: { id: 'w', dir: '/w' },
    base: 'b',
    unignored: ['node_modules/'],
  })),
  fc.tuple(of, fc.integer({ min: 1, max: 20 })).map(([event, message]) => ({
    type: 'turn-started' as const,
    ...event,
    turn: 1,
    slot: 1,
    messages: [message],
  })),
  of.map((event) => ({
    type: 'turn-ended' as const,
    ...event,
    turn: 1,
    result: { ok: true, tail: '' } as const,
  })),
  of.map((event) => ({
    type: 'work-captured' as const,
    ...event,
    commit: 'x',
    tree: 't',
    by: 'agent' as const,
  })),
  of.map((event) => ({
    type: 'branch-gate-started' as const,
    ...event,
    tree: 't',
    gateSlot: 0,
  })),
  fc.tuple(of, verdict).map(([event, judged]) => ({
    type: 'branch-judged' as const,
    ...event,
    tree: 't',
    gate: 'g',
    verdict: judged,
    cached: false,
  })),
  of.map((event) => ({ type: 'attempt-given-up' as const, ...event, failure: crash })),
  of.map((event) => ({ type: 'attempt-failed' as const, ...event, failure: crash })),
  fc
    .tuple(candidate, fc.array(entry, { minLength: 1, maxLength: 3 }), fc.integer({ max: 3 }))
    .map(([event, entries, on]) => {
      const prefixes = entries.map((_, at) => prefix(event.candidate, at + 1));
      // The second candidate may be built on the first, none on itself.
      const parent = event.candidate === 'c2' && on > 0 ? prefix('c1', on).commit : 'p';
      const last = prefixes.at(-1) ?? prefix(event.candidate, 1);
      return { type: 'candidate-built' as const, ...event, parent, ...last, entries, prefixes };
    }),
  of.map((event) => ({ type: 'merge-refused' as const, ...event, failure: crash })),
  fc.tuple(candidate, verdict, fc.integer({ min: 1, max: 3 })).map(([event, judged, count]) => ({
    type: 'candidate-judged' as const,
    ...event,
    count,
    tree: prefix(event.candidate, count).tree,
    gate: 'g',
    verdict: judged,
    cached: false,
  })),
  candidate.map((event) => ({
    type: 'candidate-dropped' as const,
    ...event,
    reason: { id: 'target-moved' as const, to: 'y' },
  })),
  candidate.map((event) => ({
    type: 'landing-waits' as const,
    ...event,
    failure: crash,
    until: 5,
  })),
  fc.tuple(candidate, entry, fc.integer({ min: 1, max: 3 })).map(([event, one, count]) => ({
    type: 'landed' as const,
    ...event,
    commit: prefix(event.candidate, count).commit,
    from: 'p',
    entries: [one],
  })),
);
