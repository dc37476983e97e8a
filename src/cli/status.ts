import { setTimeout as sleep } from 'node:timers/promises';
import { readStatus } from '../record/quick.ts';
import { statusText } from '../report/status/status.ts';
import { partialView, runFrom } from '../report/view/view.ts';
import { elsewhereOf, isDriven, isUnderWay, runToShow } from '../wire/driven.ts';
import { findPlace, type Place } from '../wire/place.ts';
import { withActions } from './last-actions.ts';
import type { Call } from './parse.ts';
import { clockOffset, complain, type Screen, screenOf } from './screen.ts';

const watchMs = 1_000;

/** The short status is read without loading git or the whole store. */
export async function run(call: Call): Promise<number> {
  const { options } = call;
  if (options.flag('json') || options.flag('all') || options.text('run') !== undefined) {
    return (await import('./status-all.ts')).run(call);
  }
  const place = findPlace(call.global.cwd ?? '.');
  if (place === undefined) return (await import('./status-all.ts')).run(call);
  const screen = screenOf(call);
  if (!options.flag('watch')) return show(place, screen, options.flag('verbose'));
  // Standard output is never closed; only its error shows that the reader is gone.
  let read = true;
  process.stdout.once('error', () => {
    read = false;
  });
  for (;;) {
    if (screen.isTerminal) process.stdout.write('\u001b[H\u001b[2J');
    const code = await show(place, screen, options.flag('verbose'));
    if (code !== 0) return code;
    if (screen.isTerminal) screen.lines([screen.style.dim('Ctrl-C leaves.')]);
    await sleep(watchMs);
    if (!read) return 0;
  }
}

async function show(place: Place, screen: Screen, verbose: boolean): Promise<number> {
  let alive: readonly string[] = [];
  const found = readStatus(place.storeFile, (runs, active) => {
    const seen = runToShow(runs, active);
    alive = runs.filter((one) => one !== seen && isUnderWay(one)).map(({ id }) => id);
    return seen;
  });
  if (!found.ok) return complain([found.failure]);
  const now = Date.now();
  const { run: seen, outside = 0 } = found.value;
  const driven = seen === undefined || isDriven(seen);
  const plain = partialView(found.value, seen, now, undefined, driven);
  const elsewhere = seen === undefined ? undefined : elsewhereOf(seen);
  const view = await withActions(place, runFrom(plain, elsewhere));
  const height = screen.isTerminal ? { height: process.stdout.rows } : {};
  screen.lines(
    statusText(
      { ...view, outside, alive },
      { now, verbose, offsetMin: clockOffset(), ...height },
      screen.style,
      screen.width,
    ),
  );
  return 0;
}
