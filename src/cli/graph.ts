import { resolve } from 'node:path';
import { runNamed } from '../app/lookup.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import type { Store } from '../port/store.ts';
import { plain } from '../report/format/style.ts';
import type { Drawing } from '../report/graph/drawing.ts';
import { formatFor, type GraphFormat, render } from '../report/graph/render.ts';
import { runDrawing } from '../report/graph/run.ts';
import { taskDrawing } from '../report/graph/tasks.ts';
import { folderOf, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store, writeFile }) => {
    const drawing = await drawingOf(call, store);
    if (!drawing.ok) return drawing;
    const screen = screenOf(call);
    if (call.options.flag('json')) {
      screen.json(drawing.value);
      return ok(0);
    }
    const out = call.options.text('out');
    const asked = call.options.text('format') as GraphFormat | undefined;
    const format = asked ?? (out === undefined ? 'ascii' : formatFor(out));
    if (format === undefined) {
      const problem = `the format for ${out} is unknown`;
      const remedy =
        'Add --format ascii, mermaid or dot, or use an ending such as .md, .dot or .txt.';
      return fail({ kind: 'usage', problem, remedy });
    }
    if (out === undefined) {
      const text = render(drawing.value, format, screen.style, screen.width);
      screen.lines([text.trimEnd()]);
    } else {
      const file = resolve(folderOf(call), out);
      const text = render(drawing.value, format, plain, screen.width, file);
      const written = await writeFile(file, text);
      if (!written.ok) return written;
      if (!call.global.quiet) screen.lines([`Wrote ${out}`]);
    }
    return ok(0);
  });
}

async function drawingOf(call: Call, store: Store): Promise<Result<Drawing>> {
  const [name] = call.args;
  if (name === undefined) {
    const tasks = await store.tasks();
    return tasks.ok ? ok(taskDrawing(tasks.value, { all: call.options.flag('all') })) : tasks;
  }
  const run = await runNamed(store, name);
  if (!run.ok) return run;
  if (run.value === undefined) return usage('there is no run yet', 'Start one with `ym run`.');
  const attempts = await store.attempts({ run: run.value.id });
  if (!attempts.ok) return attempts;
  return ok(runDrawing(attempts.value, run.value, { offsetMin: clockOffset() }));
}
