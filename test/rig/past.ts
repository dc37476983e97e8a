// A past that no engine made: events are written to the store of a project as a run that has died would have left them.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventBody } from '../../src/model/event.ts';
import type { Failure } from '../../src/model/failure.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import type { TestProject } from '../rig.ts';
import { settings, task } from '../story.ts';
import { need } from './need.ts';

const run = 'r1';
/** Nobody: this process was never alive. */
const owner = { pid: 999_999, startedAt: 'never', host: 'nowhere' };

export async function tell(y: TestProject, events: readonly EventBody[]): Promise<void> {
  mkdirSync(join(y.root, '.git', 'yardmaster'), { recursive: true });
  const file = join(y.root, '.git', 'yardmaster', 'yard.db');
  const store = need(await openSqlite(file, { mode: 'write', busyMs: 5_000 }));
  const stored = await store.append(Date.now(), events, run);
  await store.close();
  if (!stored.ok) throw new Error(JSON.stringify(stored.failure));
}

/** Tasks, and a run over them of which the first one's work was captured and changes what only a person may permit. */
export async function awaiting(
  y: TestProject,
  first: string,
  ...others: readonly string[]
): Promise<void> {
  const of = { run, id: first, attempt: 1 } as const;
  const commit = y.tip();
  const tree = y.git('rev-parse', 'main^{tree}').trim();
  await tell(y, [
    ...begun(y, first, ...others),
    { type: 'turn-started', ...of, turn: 1, slot: 1 },
    { type: 'turn-ended', ...of, turn: 1, result: { ok: true, tail: '' } },
    {
      type: 'work-captured',
      ...of,
      commit,
      tree,
      by: 'agent',
      violations: [{ kind: 'protected-path', file: '.github/ci.yml', pattern: '.github/**' }],
    },
  ]);
}

/** The same of a task that was given up with a failure; its work is on the branch that this returns. */
export async function givenUp(y: TestProject, id: string, failure: Failure): Promise<string> {
  const kept = `yard/${run}/${id}-1`;
  await tell(y, [
    ...begun(y, id),
    { type: 'attempt-failed', run, id, attempt: 1, failure, kept },
    { type: 'run-ended', run, stop: { reason: 'drained' } },
  ]);
  return kept;
}

function begun(y: TestProject, ...ids: readonly string[]): readonly EventBody[] {
  const of = { run, id: ids[0] ?? '', attempt: 1 } as const;
  const branch = `yard/${run}/${of.id}-1`;
  const base = y.tip();
  return [
    ...ids.map((id) => ({ type: 'task-added', task: task(id) }) as const),
    { type: 'run-started', run, owner, settings: settings({ retries: 0 }), base },
    { type: 'attempt-started', ...of, slot: 1, fence: 1, agent: 'actor', branch },
    { type: 'worktree-ready', ...of, worktree: { id: 'w1', dir: join(y.base, 'w1') }, base },
  ];
}
