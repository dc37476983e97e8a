import { expect, it } from 'vitest';
import { anAttempt, aRecord, aRun, aTask, settings } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { plain } from '../format/style.ts';
import { tasksText } from '../status/status.ts';
import { whyText } from '../task/task.ts';
import { readyText } from './start-text.ts';

const only = { settings: { ...settings, scope: { kind: 'only', tasks: ['a'] } } } as const;

it('says of a ready task that no run is under way, is not in the run, or starts next', () => {
  const records = [aRecord('a'), aRecord('b')];
  const reasonsIn = (...[run, seen]: [ReturnType<typeof aRun>?, { underWay: string[] }?]) =>
    viewed(records, run, 9, seen ?? {}).tasks.map(({ startReason }) => startReason?.id);
  expect(reasonsIn(undefined, { underWay: [] })).toEqual(['no-run', 'no-run']);
  expect(reasonsIn(aRun(only), { underWay: ['r1'] })).toEqual(['next', 'not-in-run']);
  expect(reasonsIn(aRun(only), { underWay: [] })).toEqual(['no-run', 'no-run']);
});

it('gives no reason for a task with an attempt under way', () => {
  const attempt = anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 });
  const [task] = viewed([aRecord('a', undefined, { attempt })], aRun(), 9, {
    underWay: ['r1'],
  }).tasks;
  expect(task).not.toHaveProperty('startReason');
});

it('comes before the failure of the last attempt in lists, which `why` keeps', () => {
  const attempt = anAttempt({ id: 'failed', failure: { kind: 'run-stopped' } });
  const records = [aRecord('a'), aRecord('b', undefined, { attempt })];
  const listed = (underWay: string[]): string =>
    tasksText({ ...viewed(records, aRun(only), 9, { underWay }), hidden: 0 }, plain, 80).join(' ');
  expect(listed(['r1'])).toContain('└─ not in the scope of this run');
  expect(listed(['r1'])).not.toContain('No agent was started');
  expect(listed([])).toContain('No agent was started');
  const [, b] = viewed(records, aRun(only), 9, { underWay: ['r1'] }).tasks;
  if (b === undefined) throw new Error('no task');
  expect(whyText(b, [], plain, 100).join(' ')).toContain('No agent was started');
});

it('explains it in `why`, and shows the time that is left where the time is known', () => {
  const [, b] = viewed([aRecord('a'), aRecord('b')], aRun(only), 9, { underWay: ['r1'] }).tasks;
  if (b === undefined) throw new Error('no task');
  expect(whyText(b, [], plain, 100).join(' ')).toContain('not in the scope of the run under way');
  const paused = { id: 'account-paused', account: 'claude', until: 61_000 } as const;
  expect(readyText(paused, 1000)).toBe('the account claude is paused for another 1 m 00 s');
  expect(readyText(paused)).toBe('the account claude is paused');
});

it('names the labels of workers that a task needs, with and without a run', () => {
  const record = aRecord('g', undefined, { task: aTask('g', { labels: ['ui', 'needs:gpu'] }) });
  const told = (underWay: string[]): readonly string[] => {
    const view = viewed([record], aRun(), 9, { underWay });
    const list = tasksText({ ...view, hidden: 0 }, plain, 100);
    const why = view.tasks.flatMap((one) => whyText(one, [], plain, 100));
    return [...list, ...why].filter((line) => line.includes('gpu'));
  };
  expect(told(['r1'])).toEqual([
    '  └─ no worker has the label gpu (`ym worker --label gpu`)',
    'It is ready and has not started: no worker has the label gpu (`ym worker --label gpu`).',
  ]);
  expect(told([])).toEqual([
    '  └─ starts only on a worker with the label gpu (`ym worker --label gpu`)',
    'No run is under way. It starts only on a worker with the label gpu (`ym worker --label gpu`).',
  ]);
  const both = { id: 'no-worker', labels: ['gpu', 'big'] } as const;
  expect(readyText(both)).toBe(
    'no worker has the labels gpu and big (`ym worker --label gpu --label big`)',
  );
});

it('names each worker that may take a task and takes nothing new', () => {
  const workers = { w1: 'lost', w2: 'draining' } as const;
  const text = readyText({ id: 'workers-away', workers });
  expect(text).toBe('none of its workers takes new tasks: w1 (lost), w2 (draining)');
});
