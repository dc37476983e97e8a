import { setTimeout as sleep } from 'node:timers/promises';
import type { QuickProject } from '../app/ports.ts';
import { fullStatus, shortStatus } from '../app/status.ts';
import { statusText } from '../report/status/status.ts';
import { openQuick } from '../wire/quick.ts';
import { drawLines } from './output.ts';
import type { Call } from './parse.ts';
import { clockOffset, complain, print, type Screen, screenOf } from './screen.ts';

const watchMs = 1_000;

/** The short status is read without loading git or the whole store. */
export async function run(call: Call): Promise<number> {
  const { options } = call;
  const project = openQuick(call.global.cwd ?? '.');
  const isFull = options.flag('json') || options.flag('all') || options.text('run') !== undefined;
  if (isFull || project === undefined) return showAll(call);
  const screen = screenOf(call);
  if (!options.flag('watch')) return show(call, project, screen);
  // Standard output is never closed; only its error shows that the reader is gone.
  let read = true;
  process.stdout.once('error', () => {
    read = false;
  });
  for (;;) {
    if (screen.isTerminal) drawLines('\u001b[H\u001b[2J');
    const code = await show(call, project, screen);
    if (code !== 0) return code;
    if (screen.isTerminal) screen.lines([screen.style.dim('Ctrl-C leaves.')]);
    await sleep(watchMs);
    if (!read) return 0;
  }
}

async function show(call: Call, project: QuickProject, screen: Screen): Promise<number> {
  const status = await shortStatus(project);
  if (!status.ok) return complain([status.failure]);
  if (status.value === undefined) return showAll(call);
  const verbose = call.options.flag('verbose');
  const height = screen.isTerminal ? { height: process.stdout.rows } : {};
  const options = { now: Date.now(), verbose, offsetMin: clockOffset(), ...height };
  screen.lines(statusText(status.value, options, screen.style, screen.width));
  return 0;
}

async function showAll(call: Call): Promise<number> {
  const { withStore } = await import('./open.ts');
  return withStore(call, 'read', async (opened) => {
    const status = await fullStatus(opened, call.options.text('run'));
    if (!status.ok) return status;
    const [all, verbose] = [call.options.flag('all'), call.options.flag('verbose')];
    const options = { now: Date.now(), all, verbose, offsetMin: clockOffset() };
    return print(call, status.value, ({ style, width }) =>
      statusText(status.value, options, style, width),
    );
  });
}
