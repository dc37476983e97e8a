import { resolve } from 'node:path';
import { foreignRun, foreignRuns } from '../app/foreign.ts';
import { usage } from '../model/failure.ts';
import { foreignDrawing } from '../report/foreign/drawing.ts';
import { foreignSummary as summaryOf } from '../report/foreign/summary.ts';
import { foreignText, foreignList as listText } from '../report/foreign/text.ts';
import { here } from '../wire/place.ts';
import { printDrawing } from './drawing.ts';
import { folderOf, type Outcome } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, complain, print } from './screen.ts';

/*
 * `--from DIR`: runs of hew, boi and oompa, read from their own files. They need no project of ours, and nothing of them
 * is stored.
 */

export function foreignList(call: Call, from: string): Promise<number> {
  return printed(async () => {
    const runs = await foreignRuns(placeOf(call, from));
    if (!runs.ok) return runs;
    return print(call, { runs: runs.value.map(summaryOf) }, ({ style, width }) =>
      listText(runs.value, style, width, clockOffset()),
    );
  });
}

export function foreignSummary(call: Call, from: string): Promise<number> {
  return printed(async () => {
    if (call.options.flag('markdown')) {
      return usage('--markdown does not go together with --from', 'Leave one of them out.');
    }
    const run = await foreignRun(placeOf(call, from), call.args[0]);
    if (!run.ok) return run;
    const summary = summaryOf(run.value);
    return print(call, summary, ({ style, width }) => foreignText(summary, style, width));
  });
}

export function foreignGraph(call: Call, from: string): Promise<number> {
  return printed(async () => {
    const run = await foreignRun(placeOf(call, from), call.args[0]);
    if (!run.ok) return run;
    return printDrawing(call, foreignDrawing(run.value, clockOffset()), here);
  });
}

function placeOf(call: Call, from: string): string {
  return resolve(folderOf(call), from);
}

async function printed(work: () => Promise<Outcome>): Promise<number> {
  const done = await work();
  if (done.ok) return done.value;
  return complain('kind' in done.failure ? [done.failure] : done.failure);
}
