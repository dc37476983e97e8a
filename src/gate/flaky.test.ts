import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../model/limits.ts';
import { checksInQuarantine, type FlakeAt } from './gate.ts';

const now = 100 * 24 * 3600_000;
const hour = 3600_000;
const hours = (command: string, ...ago: readonly number[]): readonly FlakeAt[] =>
  ago.map((h) => ({ command, at: now - h * hour }));

describe('a check is quarantined', () => {
  test('when it flaked more often than the bound within the window, until some days after the last time', () => {
    const flakes = hours('test', 50, 40, 30, 20);
    expect(checksInQuarantine(['lint', 'test'], flakes, now)).toEqual([
      { command: 'test', until: now - 20 * hour + limits.quarantineMs },
    ]);
  });

  test('not when it flaked as often as the bound', () => {
    expect(checksInQuarantine(['lint', 'test'], hours('test', 3, 2, 1), now)).toEqual([]);
  });

  test('not for flakes older than the window', () => {
    expect(checksInQuarantine(['lint', 'test'], hours('test', 24 * 7, 3, 2, 1), now)).toEqual([]);
    expect(
      checksInQuarantine(['lint', 'test'], hours('test', 24 * 7 - 1, 3, 2, 1), now),
    ).toHaveLength(1);
  });

  test('no longer once its time is over, although the flakes are still within the window', () => {
    const flakes = hours('test', 24 * 3 + 4, 24 * 3 + 3, 24 * 3 + 2, 24 * 3 + 1);
    expect(checksInQuarantine(['lint', 'test'], flakes, now)).toEqual([]);
  });

  test('not for flakes of a command that is no part of the gate', () => {
    expect(checksInQuarantine(['lint'], hours('other', 4, 3, 2, 1), now)).toEqual([]);
  });

  test('never when it is the only one: the one that flaked least still judges, of equals the last', () => {
    expect(checksInQuarantine(['test'], hours('test', 5, 4, 3, 2, 1), now)).toEqual([]);
    const all = [...hours('a', 4, 3, 2, 1), ...hours('b', 5, 4, 3, 2, 1)];
    expect(checksInQuarantine(['a', 'b'], all, now).map(({ command }) => command)).toEqual(['b']);
    const equal = [...hours('a', 4, 3, 2, 1), ...hours('b', 4, 3, 2, 1)];
    expect(checksInQuarantine(['a', 'b'], equal, now).map(({ command }) => command)).toEqual(['a']);
  });
});

describe('whatever flaked when', () => {
  const names = ['a', 'b', 'c', 'd'];
  const flake = fc.record({
    command: fc.constantFrom(...names, 'elsewhere'),
    at: fc.integer({ min: now - 2 * limits.flakeWindowMs, max: now + limits.flakeWindowMs }),
  });
  const gate = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 });
  const flakes = fc.array(flake, { maxLength: 60 });

  test('some command of the gate always judges, and only commands of the gate are quarantined', () => {
    fc.assert(
      fc.property(gate, flakes, (commands, list) => {
        const out = checksInQuarantine(commands, list, now).map(({ command }) => command);
        expect(out.length).toBeLessThan(commands.length);
        expect(commands.filter((command) => out.includes(command))).toEqual(out);
      }),
    );
  });

  test('every quarantine ends after now, and within its length from now', () => {
    fc.assert(
      fc.property(gate, flakes, (commands, list) => {
        for (const { until } of checksInQuarantine(commands, list, now)) {
          expect(until).toBeGreaterThan(now);
          expect(until).toBeLessThanOrEqual(now + limits.quarantineMs);
        }
      }),
    );
  });

  test('the order of flakes does not matter', () => {
    fc.assert(
      fc.property(gate, flakes, (commands, list) => {
        const told = checksInQuarantine(commands, list, now);
        expect(checksInQuarantine(commands, [...list].reverse(), now)).toEqual(told);
      }),
    );
  });

  test('without a further flake all of them come to an end', () => {
    fc.assert(
      fc.property(gate, flakes, (commands, list) => {
        const past = list.filter(({ at }) => at <= now);
        expect(checksInQuarantine(commands, past, now + limits.quarantineMs)).toEqual([]);
      }),
    );
  });

  test('a quarantined command has flaked more often than the bound', () => {
    fc.assert(
      fc.property(gate, flakes, (commands, list) => {
        for (const { command } of checksInQuarantine(commands, list, now)) {
          const times = list.filter((one) => one.command === command && one.at <= now);
          expect(times.length).toBeGreaterThan(limits.flakesMax);
        }
      }),
    );
  });
});
