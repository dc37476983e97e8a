import type { Opened, QuickProject } from '../app/ports.ts';
import { fullStatus, shortStatus } from '../app/status.ts';
import { openTry } from '../app/try-note.ts';
import { ok } from '../model/failure.ts';
import { statusText } from '../report/status/status.ts';
import type { View } from '../report/view/view.ts';
import { openQuick } from '../wire/quick.ts';
import type { Call } from './parse.ts';
import { clockOffset, complain, print, type Screen, screenOf } from './screen.ts';

/** The short status is read without loading git or the whole store. */
export async function run(call: Call): Promise<number> {
  const { options } = call;
  const project = openQuick(call.global.cwd ?? '.');
  const isFull =
    options.flag('json') ||
    options.flag('all') ||
    options.text('run') !== undefined ||
    options.number('at') !== undefined;
  if (isFull || project === undefined) return showAll(call);
  return show(call, project, screenOf(call));
}

async function show(call: Call, project: QuickProject, screen: Screen): Promise<number> {
  const status = await shortStatus(project);
  if (!status.ok) return complain([status.failure]);
  if (status.value === undefined) return showAll(call);
  screen.lines(short(call, status.value, screen));
  const tried = openTry(project);
  if (tried !== undefined) {
    screen.lines([`Your checkout shows the work of ${tried.task}; \`ym try --back\` restores it.`]);
  }
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
    const status = await wholeStatus(call, opened);
    if (!status.ok) return status;
    const { view, now } = status.value;
    const [all, verbose] = [call.options.flag('all'), call.options.flag('verbose')];
    const options = { now, all, verbose, offsetMin: clockOffset() };
    return print(call, view, ({ style, width }) => statusText(view, options, style, width));
  });
}

/** The view now, or at an event of the log, with its time. */
async function wholeStatus({ options }: Call, opened: Opened) {
  const [seq, run] = [options.number('at'), options.text('run')];
  if (seq === undefined) {
    const view = await fullStatus(opened, run);
    return view.ok ? ok({ view: view.value, now: Date.now() }) : view;
  }
  const { viewAt } = await import('../app/moment.ts');
  const past = await viewAt(opened, seq, run);
  return past.ok ? ok({ view: past.value.view, now: past.value.moment.at }) : past;
}
