import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { recordsOf, sourceOf } from '../../../test/report/records-of.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import { partIn } from '../../history/attempt-history.ts';
import type { Event, EventBody } from '../../model/event.ts';
import { placeOf, scaleOf } from './scale.ts';
import { type Timeline, type TimelineOptions, timelineOf } from './timeline.ts';

function drawn(events: readonly Event[], options: Partial<TimelineOptions> = {}): Timeline {
  const { run, attempts } = sourceOf(events);
  const records = recordsOf(events);
  const queue = records.queueSteps.get(run.id) ?? [];
  const live = [...records.tasks.values()];
  const now = events.at(-1)?.at ?? 0;
  return timelineOf(
    { run, attempts, queue, live },
    { now, rows: 'slots', squeeze: false, ...options },
  );
}

const shown = ({ rows }: Timeline): readonly string[] =>
  rows.flatMap(({ label, bars }) =>
    bars.map(
      ({ kind, tasks, from, to, isOpen, outcome }) =>
        `${label}: ${kind} ${tasks.join('+')} ${from / 1000}-${isOpen ? '' : to / 1000} ${outcome}`,
    ),
  );

const of = { run: 'r1', id: 'api', attempt: 1 };
const began: EventBody = {
  ...of,
  type: 'attempt-started',
  slot: 2,
  fence: 1,
  agent: 'mine',
  branch: 'yard/r1/api-1',
};
const built: EventBody = {
  type: 'candidate-built',
  run: 'r1',
  candidate: 'c1',
  parent: 'p',
  commit: 'c',
  tree: 't',
  entries: [{ id: 'api', attempt: 1, commit: 'c' }],
};
const gate: EventBody = {
  type: 'gate-started',
  run: 'r1',
  candidate: 'c1',
  count: 1,
  commit: 'c',
  tree: 't',
  slot: 0,
  tasks: ['api'],
};
const work: readonly EventBody[] = [
  began,
  { ...of, type: 'turn-started', turn: 1, slot: 2 },
  { ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '' } },
  { ...of, type: 'work-captured', commit: 'c', tree: 't', by: 'agent' },
  built,
  gate,
];
const red: EventBody = {
  type: 'candidate-judged',
  run: 'r1',
  candidate: 'c1',
  tree: 't',
  gate: 'g',
  verdict: { id: 'failed', ms: 1, failure: failures['gate-red'] },
  cached: false,
};

describe('the timeline of a run', () => {
  it('has a row for each slot and gate slot, with what is under way left open', () => {
    expect(shown(drawn(logOf(...work)))).toEqual([
      'slot 2: turn api 2-3 incomplete',
      'gate 1: gate api 6- open',
    ]);
    expect(shown(drawn(logOf(...work, red)))).toEqual([
      'slot 2: turn api 2-3 returned',
      'gate 1: gate api 6-7 failed',
    ]);
  });

  it('has a row for each task, where its waiting is shown too', () => {
    const again: EventBody = { ...of, type: 'turn-started', turn: 2, slot: 1 };
    expect(shown(drawn(logOf(...work, red, again), { rows: 'tasks' }))).toEqual([
      'api: turn api 2-3 returned',
      'api: queued api 4-8 returned',
      'api: gate api 6-7 failed',
      'api: turn api 8- incomplete',
    ]);
  });

  it('names the part of a candidate that a gate judged', () => {
    const labels = drawn(trainStory).rows.flatMap(({ bars }) => bars.map(({ label }) => label));
    expect(labels).toContain('turn 1');
    expect(labels.some((label) => label.startsWith('review by'))).toBe(true);
  });

  it('holds every turn of the run once and no bar that ends before it starts, on any log', () => {
    fc.assert(
      fc.property(anyLog, fc.boolean(), fc.nat(200_000), (events, squeeze, now) => {
        const { run, attempts } = sourceOf(events);
        const turns = attempts.flatMap((attempt) => partIn(attempt, run.id).turns);
        for (const rows of ['slots', 'tasks'] as const) {
          const timeline = drawn(events, { rows, squeeze, now });
          const bars = timeline.rows.flatMap((row) => row.bars);
          expect(bars.filter(({ kind }) => kind === 'turn')).toHaveLength(turns.length);
          for (const { from, to } of bars) {
            expect(to).toBeGreaterThanOrEqual(from);
            expect(from).toBeGreaterThanOrEqual(timeline.from);
          }
        }
      }),
    );
  });
});

describe('the axis', () => {
  const spans = [
    { from: 0, to: 10 },
    { from: 5, to: 20 },
    { from: 1020, to: 1040 },
  ];
  const whole = { from: 0, to: 1040 };

  it('is time, where idle stretches are kept', () => {
    expect(placeOf(scaleOf(spans, whole, false), 520)).toBeCloseTo(0.5);
  });

  it('gives idle stretches little room, where they are squeezed', () => {
    const scale = scaleOf(spans, whole, true);
    expect(scale.map(({ isSqueezed }) => isSqueezed)).toEqual([false, true, false]);
    expect(placeOf(scale, 20)).toBeCloseTo(20 / 41.2);
    expect(placeOf(scale, 1020)).toBeCloseTo(21.2 / 41.2);
  });

  it('keeps the order of times and goes from 0 to 1', () => {
    const anySpan = fc
      .tuple(fc.nat(5000), fc.nat(500))
      .map(([from, ms]) => ({ from, to: from + ms }));
    fc.assert(
      fc.property(
        fc.array(anySpan),
        fc.boolean(),
        fc.array(fc.nat(6000)),
        (all, squeeze, times) => {
          const scale = scaleOf(all, { from: 0, to: 5500 }, squeeze);
          expect(scale[0]?.start).toBe(0);
          expect(scale.at(-1)?.end).toBeCloseTo(1);
          const places = times.toSorted((a, b) => a - b).map((time) => placeOf(scale, time));
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        },
      ),
    );
    expect(placeOf(scaleOf([], { from: 5, to: 5 }, true), 5)).toBe(0);
  });
});
