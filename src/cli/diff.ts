import { taskNamed } from '../app/lookup.ts';
import { fail, ok } from '../model/failure.ts';
import { rangeOf } from '../model/history.ts';
import { printableLines } from '../report/format/printable.ts';
import { changedFiles, diffStatText, sumOf } from '../report/task/diff.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ git, store }) => {
    const id = call.args[0] ?? '';
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const attempts = await store.attempts({ task: id });
    if (!attempts.ok) return attempts;
    const number = call.options.number('attempt') ?? record.value.attempts;
    const attempt = attempts.value.find((one) => one.number === number);
    const range = attempt && rangeOf(attempt);
    if (range === undefined) {
      const problem = nothingToShow(id, number, record.value.attempts);
      const remedy = `See \`ym why ${id}\`.`;
      return fail({ kind: 'usage', problem, remedy });
    }
    const { from, to } = range;
    const screen = screenOf(call);
    const patch = await git.diff(from, to);
    if (!patch.ok) return patch;
    const [json, stat] = [call.options.flag('json'), call.options.flag('stat')];
    if (json || stat) {
      const changes = await git.changes(from, to);
      if (!changes.ok) return changes;
      const files = changedFiles(changes.value, patch.value);
      const whole = { task: id, attempt: number, from, to, ...sumOf(files), files };
      if (json) screen.json(stat ? whole : { ...whole, patch: patch.value });
      else screen.lines(diffStatText(files, screen.style, screen.width));
      return ok(0);
    }
    screen.lines(screen.isTerminal ? printableLines(patch.value) : [patch.value.trimEnd()]);
    return ok(0);
  });
}

function nothingToShow(id: string, number: number, attempts: number): string {
  if (attempts === 0) return `there is nothing to show: no attempt at "${id}" has started`;
  if (number > attempts) {
    const times = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
    return `there is no attempt ${number} of "${id}": it has had ${times}`;
  }
  return `attempt ${number} of "${id}" has left no commit`;
}
