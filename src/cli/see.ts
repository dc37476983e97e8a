import { diffOf } from '../app/diff.ts';
import { explainTask, showTask, tasksListed } from '../app/explain.ts';
import { runGraph, taskGraph } from '../app/graph.ts';
import { readLedger } from '../app/ledger.ts';
import { listRuns } from '../app/runs.ts';
import { summarize } from '../app/summary.ts';
import { whereIs } from '../app/where.ts';
import { defined } from '../model/defined.ts';
import { ok } from '../model/failure.ts';
import { ledgerCounts, ledgerText } from '../report/run/ledger.ts';
import { runsSchema, runsText } from '../report/run/runs.ts';
import { tasksText } from '../report/status/status.ts';
import { summaryMarkdown } from '../report/summary/markdown.ts';
import { summaryText } from '../report/summary/text.ts';
import { diffStatText, sumOf } from '../report/task/diff.ts';
import { historyLines } from '../report/task/history.ts';
import { showText, whyText } from '../report/task/task.ts';
import type { TaskView } from '../report/view/task.ts';
import { viewSchema } from '../report/view/view.ts';
import { printDrawing } from './drawing.ts';
import { withStore } from './open.ts';
import { printRaw } from './output.ts';
import type { Call } from './parse.ts';
import { listOptions } from './scope.ts';
import { clockOffset, print } from './screen.ts';

export function runs(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const runs = await listRuns(opened, { all: call.options.flag('all') });
    if (!runs.ok) return runs;
    return print(call, { schema: runsSchema, runs: runs.value }, ({ style, width }) =>
      runsText(runs.value, style, width, clockOffset(), opened.clock.now()),
    );
  });
}

export function show(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const shown = await showTask(opened, call.args[0] ?? '');
    if (!shown.ok) return shown;
    const { record, view, variants, conflictTask } = shown.value;
    const { task, messages } = record;
    const options = { offsetMin: clockOffset(), variants, conflictTask };
    const more = defined({ messages, conflictTask: idAndState(conflictTask) });
    return print(call, { ...view, task, ...more }, ({ style, width }) =>
      showText(record, view, style, width, options),
    );
  });
}

export function listTasks(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const list = listOptions(call);
    if (!list.ok) return list;
    const listed = await tasksListed(opened, list.value);
    if (!listed.ok) return listed;
    const { hidden, tasks } = listed.value;
    return print(call, { schema: viewSchema, hidden, tasks }, ({ style, width }) =>
      tasksText(listed.value, style, width),
    );
  });
}

export function why(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const found = await explainTask(opened, call.args[0] ?? '');
    if (!found.ok) return found;
    const { record, view, variants, steps, unblocks, conflictTask } = found.value;
    const sent = { messages: record.messages, unblocks };
    const options = { offsetMin: clockOffset(), variants, ...sent, conflictTask };
    const more = { ...sent, conflictTask: idAndState(conflictTask) };
    return print(call, { ...view, ...more, history: historyLines(steps) }, ({ style, width }) =>
      whyText(view, steps, style, width, options),
    );
  });
}

function idAndState(view: TaskView | undefined) {
  return view && { id: view.id, state: view.state };
}

export function summary(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const found = await summarize(opened, call.args[0]);
    if (!found.ok) return found;
    if (call.options.flag('markdown')) {
      return print(call, found.value, () => summaryMarkdown(found.value));
    }
    return print(call, found.value, ({ style, width }) => summaryText(found.value, style, width));
  });
}

export function where(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const paths = await whereIs(opened, call.args[0]);
    if (!paths.ok) return paths;
    return print(call, paths.value, () =>
      Object.entries(paths.value).map(([what, path]) => `${what.padEnd(10)} ${path}`),
    );
  });
}

/** Exit status 1 when something is lost. */
export function ledger(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const found = await readLedger(opened, call.args[0]);
    if (!found.ok) return found;
    const { balanced, entries, ...others } = found.value;
    const value = { balanced, counts: ledgerCounts(entries), entries, ...others };
    print(call, value, ({ style, width }) => ledgerText(found.value, style, width));
    return ok(balanced ? 0 : 1);
  });
}

export function diff(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const found = await diffOf(opened, call.args[0] ?? '', call.options.number('attempt'));
    if (!found.ok) return found;
    const { patch, files, ...work } = found.value;
    const stat = call.options.flag('stat');
    const value = {
      ...work,
      ...sumOf(files),
      files,
      patch: stat ? undefined : patch,
    };
    if (stat || call.options.flag('json')) {
      return print(call, value, ({ style, width }) => diffStatText(files, style, width));
    }
    printRaw(patch);
    return ok(0);
  });
}

export function graph(call: Call): Promise<number> {
  const { options, args } = call;
  const [name] = args;
  return withStore(call, 'read', async (opened) => {
    const drawing =
      name === undefined
        ? await taskGraph(opened, { all: options.flag('all') })
        : await runGraph(opened, name, { offsetMin: clockOffset() });
    return drawing.ok ? printDrawing(call, drawing.value, opened) : drawing;
  });
}
