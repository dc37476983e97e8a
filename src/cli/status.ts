import type { QuickProject } from '../app/ports.ts';
import { fullStatus, shortStatus } from '../app/status.ts';
import { statusText } from '../report/status/status.ts';
import type { View } from '../report/view/view.ts';
import { openQuick } from '../wire/quick.ts';
import type { Call } from './parse.ts';
import { clockOffset, complain, print, type Screen, screenOf } from './screen.ts';

/** The short status is read without loading git or the whole store. */
export async function run(call: Call): Promise<number> {
  const { options } = call;
  const project = openQuick(call.global.cwd ?? '.');
  const isFull = options.flag('json') || options.flag('all') || options.text('run') !== undefined;
  if (isFull || project === undefined) return showAll(call);
  return show(call, project, screenOf(call));
}

async function show(call: Call, project: QuickProject, screen: Screen): Promise<number> {
  const status = await shortStatus(project);
  if (!status.ok) return complain([status.failure]);
  if (status.value === undefined) return showAll(call);
  screen.lines(short(call, status.value, screen));
  return 0;
}

function short(call: Call, view: View, { style, width, isTerminal }: Screen): readonly string[] {
  const verbose = call.options.flag('verbose');
  const height = isTerminal ? { height: process.stdout.rows } : {};
  const options = { now: Date.now(), verbose, offsetMin: clockOffset(), ...height };
  return statusText(view, options, style, width);
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
