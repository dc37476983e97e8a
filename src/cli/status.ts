import { setTimeout as sleep } from 'node:timers/promises';
import { readStatus } from '../record/quick.ts';
import { statusText } from '../report/text.ts';
import { partialView } from '../report/view.ts';
import { isDriven } from '../wire/driven.ts';
import { findPlace } from '../wire/place.ts';
import type { Call } from './parse.ts';
import { type Screen, screenOf } from './screen.ts';
import { complain } from './trouble.ts';

const watchMs = 1_000;

/** The short status goes a way of its own that loads neither git nor the whole store. */
export async function run(call: Call): Promise<number> {
  if (call.options.flag('json') || call.options.flag('all')) {
    return (await import('./statusall.ts')).run(call);
  }
  const place = findPlace(call.global.cwd ?? '.');
  if (place === undefined) return (await import('./statusall.ts')).run(call);
  const screen = screenOf(call);
  if (!call.options.flag('watch')) return show(place.storeFile, screen);
  for (;;) {
    if (screen.isTerminal) process.stdout.write('\u001b[H\u001b[2J');
    const code = show(place.storeFile, screen);
    if (code !== 0) return code;
    await sleep(watchMs);
  }
}

function show(file: string, screen: Screen): number {
  const found = readStatus(file);
  if (!found.ok) return complain([found.failure]);
  const now = Date.now();
  const { run: newest } = found.value;
  const driven = newest === undefined || isDriven(newest);
  const view = partialView(found.value, newest, now, undefined, driven);
  screen.lines(statusText(view, { now }, screen.style, screen.width));
  return 0;
}
