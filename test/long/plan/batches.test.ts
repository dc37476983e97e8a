// The built program starts the tasks that agents and the planner chose.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { batchSchema } from '../../record/published.ts';
import { program } from '../../rig/child.ts';
import { oneShotProject } from '../../rig/one-shots.ts';
import { type Action, print, touch, waitFor, write } from '../../rig.ts';

const shell = (line: string): Action => ({ run: { shell: line } });
/** Waits, for a bounded time, until a batch is stored: its file is written after that. */
const batchStored = shell(
  'for try in $(seq 300); do ls "$YARD_PROJECT"/.git/yardmaster/runs/*/batch-001.json && exit 0; sleep 0.1; done; exit 1',
);
const done = (id: string): Action => write(`${id}.txt`, `${id}\n`);

test('the planner decides what starts after a silent turn, and an agent what starts after its own', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const y = oneShotProject({
    tasks: ids.map((id) => ({ id })),
    script: {
      // The second slot stays taken until the tasks that were chosen have started.
      b: [[waitFor('g-began'), done('b')]],
      c: [[batchStored, done('c')]],
      e: [[done('e'), shell(`'${process.execPath}' '${program}' agent next g`)]],
      g: [[touch('g-began'), done('g')]],
      default: [[shell('echo done > "$YARD_TASK.txt"')]],
    },
    oneShotAgents: {
      chooser: {
        batch: {
          batches: [
            [
              { usage: { input: 30, output: 3 } },
              print('```next_iteration\n["e", "invented"]\n```'),
            ],
          ],
        },
      },
    },
    config: { jobs: 2, agent: 'actor', planner: { agent: 'chooser' } },
  });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('chooser chose next: e  (33 tokens)');
  const events = await y.events();
  const begun = events.flatMap((event) => (event.type === 'attempt-started' ? [event.id] : []));
  // In the order of the plan d would come before them. The slot of a may be free before or after the planner answers.
  expect(begun.filter((id) => id !== 'c').slice(0, 4)).toEqual(['a', 'b', 'e', 'g']);
  expect(y.landings()).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
  const id = events.find((event) => event.type === 'run-started')?.run ?? '';
  const file = join(y.root, '.git/yardmaster/runs', id, 'batch-001.json');
  expect(batchSchema.parse(JSON.parse(readFileSync(file, 'utf8')))).toMatchObject({
    source: 'planner',
    tasks: ['e'],
    plannerTokens: 33,
    after: { id: 'a', attempt: 1, turn: 1 },
  });
  const [summary, graph] = await Promise.all([
    y.ym('summary'),
    y.ym('graph', 'last', '--format', 'mermaid'),
  ]);
  expect(summary.stdout).toMatch(/^batches {2,}planner: agent=1, runtime=1, fallback=\d$/m);
  expect(graph.stdout).toContain('|"planner"|');
  expect(graph.stdout).toContain('|"agent"|');
});
