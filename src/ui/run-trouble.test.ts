import { describe, expect, it } from 'vitest';
import { needsIn, runTroubles, type TroubleSource } from './run-trouble.ts';

const sentences = { what: 'It is broken.', why: 'Because.', do: 'Fix it.' };
const failure = { kind: 'internal', ...sentences };
const started = {
  id: 'r1',
  startedAt: '',
  stoppedMs: 0,
  jobs: 1,
  agent: 'a',
  target: { branch: 'main' },
};
const running = { ...started, state: 'running', driver: { at: 'here' } } as const;
const nothing: TroubleSource = {
  run: running,
  needsYou: [],
  paused: [],
  pausedSteps: [],
};
const pause = { account: 'x', reason: 'quota', since: '', waiting: 1, what: 'Empty.', do: 'Wait.' };

describe('trouble of the whole run', () => {
  it('is the fault that ends the run, or has ended it', () => {
    const need = { kind: 'run', run: 'r1', command: 'ym resume', failure } as const;
    const view = { ...nothing, needsYou: [need] };
    expect(runTroubles(view)).toEqual([{ name: 'The run is about to end', ...sentences }]);
    expect(needsIn(view)).toBe(1);
    const stop = { reason: 'environment', failure, tasks: [] } as const;
    const ended = { ...started, state: 'ended', endedAt: '', stop } as const;
    expect(runTroubles({ ...view, run: ended })).toMatchObject([
      { name: 'Run r1 has ended early' },
    ]);
    expect(runTroubles({ ...nothing, run: ended })).toEqual([]);
  });

  it('is a paused step, and an account that only a person can bring back', () => {
    const step = { step: 'land c1', since: '', times: 3, cause: '', ...sentences };
    const paused = [pause, { ...pause, account: 'y', until: '2026-11-17T18:00:00Z' }];
    const view = { ...nothing, pausedSteps: [step], paused };
    expect(runTroubles(view).map(({ name }) => name)).toEqual([
      'Paused: land c1',
      'Account x is paused',
    ]);
    expect(needsIn(view)).toBe(2);
  });
});
