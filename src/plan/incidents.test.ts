import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentStory,
  begun,
  crewed,
  cut,
  ended,
  said,
  turn,
} from '../../test/report/agent-story.ts';
import { anyLog, failures, logOf, owner } from '../../test/report/fixtures.ts';
import { story } from '../../test/report/story.ts';
import type { Event, EventBody } from '../model/event.ts';
import { IncidentCount, type Incidents } from './incidents.ts';

const counted = (events: readonly Event[], now: number): Incidents => {
  const incidents = new IncidentCount();
  for (const event of events) incidents.on(event);
  return incidents.count(now);
};
/** Each thing happens a second after the one before; the count is taken one second after the last. */
const log = (...bodies: readonly EventBody[]): Incidents =>
  counted(logOf(...bodies), (bodies.length + 1) * 1000);

const quota = cut(failures['quota-exhausted']);
const broken = cut(failures['stream-broken']);
const nothing = said({ id: 'nothing' });

describe('hitches', () => {
  it('are none where nothing of the kind happened', () => {
    expect(counted(story, 99_000)).toEqual({});
  });

  it('are counted together', () => {
    expect(counted(agentStory, 50_000)).toEqual({
      pauses: { count: 1, ms: 7000 },
      silentTurns: 1,
      providerRetries: 2,
      prefixes: [
        { agent: 'claude', variants: 2 },
        { agent: 'codex', variants: 1 },
      ],
    });
  });

  it('of a quota last until the next turn of the account', () => {
    const incidents = log(
      ...begun('a', 1, 'x'),
      turn('a', 1, 1),
      ended('a', 1, quota),
      { type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' },
      turn('a', 2, 1),
      ended('a', 2, said({ id: 'complete' })),
    );
    expect(incidents.pauses).toEqual({ count: 1, ms: 2000 });
  });

  it('of one account are one pause, however many agents are told', () => {
    const agentPool = [
      { name: 'x', account: 'one', volunteers: true },
      { name: 'y', account: 'one', volunteers: true },
      { name: 'z', account: 'two', volunteers: true },
    ];
    const settings = { ...crewed, agentPool };
    const of = (...agents: readonly string[]) =>
      log(
        { type: 'run-started', run: 'r1', owner, settings, base: 'b' },
        ...agents.flatMap((agent) => [...begun(agent, 1, agent), turn(agent, 1, 1)]),
        ...agents.map((agent) => ended(agent, 1, quota)),
      ).pauses?.count;
    expect(of('x', 'y')).toBe(1);
    expect(of('x', 'z')).toBe(2);
  });

  it('of a quota end with the run', () => {
    const events = logOf(...begun('a', 1, 'x'), turn('a', 1, 1), ended('a', 1, quota), {
      type: 'run-ended',
      run: 'r1',
      stop: { reason: 'quota' },
    });
    expect(counted(events, 1_000_000).pauses).toEqual({ count: 1, ms: 1000 });
  });

  it('are no pause where a person has to act', () => {
    const incidents = log(
      ...begun('a', 1, 'x'),
      turn('a', 1, 1),
      ended('a', 1, cut(failures['provider-auth'])),
    );
    expect(incidents).not.toHaveProperty('pauses');
  });

  it('are not silent turns where the agent told its end by a call', () => {
    const call = { run: 'r1', id: 'a', attempt: 1, type: 'agent-reported', turn: 1 } as const;
    const silent = (...calls: readonly EventBody[]) =>
      log(...begun('a', 1, 'x'), turn('a', 1, 1), ...calls, ended('a', 1, nothing)).silentTurns;
    expect(silent()).toBe(1);
    expect(silent({ ...call, call: { id: 'report', about: 'x', text: 'y' } })).toBe(1);
    expect(silent({ ...call, call: { id: 'complete' } })).toBeUndefined();
  });

  it('are retries only where a turn of the same attempt follows', () => {
    const once = [...begun('a', 1, 'x'), turn('a', 1, 1), ended('a', 1, broken)];
    expect(log(...once)).not.toHaveProperty('providerRetries');
    expect(log(...once, turn('a', 2, 1)).providerRetries).toBe(1);
    expect(log(...once, ...begun('b', 1, 'x'), turn('b', 1, 1))).not.toHaveProperty(
      'providerRetries',
    );
  });

  it('are never negative, on any log', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(100_000), (events, now) => {
        const { pauses, silentTurns = 1, providerRetries = 1 } = counted(events, now);
        expect(pauses?.ms ?? 0).toBeGreaterThanOrEqual(0);
        expect(Math.min(pauses?.count ?? 1, silentTurns, providerRetries)).toBeGreaterThan(0);
      }),
    );
  });
});
