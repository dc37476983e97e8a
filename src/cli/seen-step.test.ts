import { expect, test } from 'vitest';
import type { RunStep } from '../app/run-steps.ts';
import { SeenSteps } from './seen-step.ts';

const step = (seq: number, isRepeated = false): RunStep =>
  ({ event: { seq }, records: {}, entries: [], isRepeated }) as unknown as RunStep;

const records = { run: () => ({ target: { preflight: {} } }) };
/** A step of a run that checks the target first. */
const of = (seq: number, type: string): RunStep =>
  ({ ...step(seq), event: { seq, at: seq, type, id: 'a', run: 'r1' }, records }) as never;

test('older steps come before those that were read, each once and no repeated one', () => {
  const steps = new SeenSteps();
  steps.add([step(7), step(8, true)]);
  steps.precede([step(4), step(5, true), step(6), step(7), step(8)]);
  steps.add([step(9)]);
  expect(steps.all.map(({ event }) => event.seq)).toEqual([4, 6, 7, 9]);
});

test('a task has started when its agent starts, if the target is checked first', () => {
  const shown = (steps: SeenSteps) => steps.all.map(({ event: { type, at } }) => `${type} ${at}`);
  const steps = new SeenSteps();
  steps.add([of(3, 'target-judged')]);
  steps.precede([of(1, 'run-started'), of(2, 'attempt-started')]);
  expect(shown(steps)).toEqual(['run-started 1', 'target-judged 3']);
  steps.add([of(4, 'turn-started')]);
  expect(shown(steps).slice(2)).toEqual(['attempt-started 4', 'turn-started 4']);
});

test('an agent that started before older steps were read has its start among them', () => {
  const steps = new SeenSteps();
  steps.add([of(4, 'turn-started')]);
  steps.precede([of(2, 'attempt-started'), of(3, 'target-judged')]);
  const types = steps.all.map(({ event }) => event.type);
  expect(types).toEqual(['target-judged', 'attempt-started', 'turn-started']);
});

test('the oldest steps are forgotten', () => {
  const steps = new SeenSteps();
  for (let seq = 1; seq <= 2_000; seq += 1) steps.add([step(seq)]);
  expect(steps.all.length).toBeLessThan(1_000);
  expect(steps.all.at(-1)?.event.seq).toBe(2_000);
});
