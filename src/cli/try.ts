import { beginTry, endTry, type TryEnd } from '../app/try.ts';
import { usage } from '../model/failure.ts';
import { shortCommit } from '../report/format/time.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { confirm } from './screen.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const [id] = call.args;
    const isBack = call.options.flag('back');
    if (isBack === (id !== undefined)) {
      return usage('`ym try` takes a task, or --back', 'Type `ym try ID` or `ym try --back`.');
    }
    if (isBack && call.options.number('attempt') !== undefined) {
      return usage('--back takes no --attempt', 'Type `ym try --back`.');
    }
    if (id === undefined) {
      const end = await endTry(opened);
      return end.ok ? confirm(call, [endText(end.value)]) : end;
    }
    const begun = await beginTry(opened, id, call.options.number('attempt'));
    if (!begun.ok) return begun;
    const { commit, attempt, task } = begun.value;
    const what = `the work of attempt ${attempt} at ${task} (${shortCommit(commit)})`;
    return confirm(call, [`Your checkout shows ${what}. \`ym try --back\` restores it.`]);
  });
}

function endText({ note, how, head }: TryEnd): string {
  const place = note.branch ?? `detached HEAD ${shortCommit(note.head)}`;
  switch (how) {
    case 'restored':
      return `Your checkout is as it was: ${place}.`;
    case 'moved':
      return `Your checkout is on ${place} again. It moved meanwhile from ${shortCommit(note.head)} to ${shortCommit(head)}.`;
    case 'left':
      return `You had left the try of ${note.task} already. Your checkout is as it is.`;
  }
}
