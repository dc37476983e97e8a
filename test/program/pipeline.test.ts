// Pipelines: which stages a task passes is data, checked before anything runs; what needs no agent starts none.
import { expect, test } from 'vitest';
import { approves, noted, notes, oneShotProject, startsOf } from '../rig/one-shots.ts';
import type { Action } from '../rig.ts';

/** Writes a line of the gate's own into a file of the stage, so that its runs can be counted. */
const countingGate = `echo "\${PWD##*/}" >> "$STAGE/gates"
test ! -e red || { echo 'there is a file called red'; exit 1; }
`;

const works: Action = { run: { shell: 'echo done > "$YARD_TASK.txt"' } };

test('each type of task passes the stages that are listed for it', async () => {
  const y = oneShotProject({
    tasks: [
      { id: 'feature' },
      { id: 'letter', type: 'docs' },
      { id: 'seen', type: 'chore' },
      { id: 'thought', type: 'spec' },
    ],
    files: { 'gate.sh': countingGate },
    script: { default: [[noted, works]] },
    oneShotAgents: {
      reader: [[noted, approves]],
      critic: { default: { critiques: [[noted, approves]] } },
    },
    config: {
      jobs: 1,
      gate: { commands: ['sh gate.sh'], branch: 'always' },
      review: { agent: 'reader' },
      critique: { agent: 'critic' },
      pipeline: {
        docs: ['work', 'land'],
        chore: ['work', 'review', 'land'],
        spec: ['critique', 'work', 'land'],
        default: ['critique', 'work', 'gate', 'review', 'land'],
      },
    },
  });
  const run = await y.ymWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const starts = await startsOf(y);
  const of = (id: string): readonly string[] =>
    starts.flatMap((start) => (start.startsWith(`${id} `) ? [start.slice(id.length + 1)] : []));
  expect(of('feature')).toEqual(['critique 1', 'turn 1', 'review 1 reader']);
  expect(of('letter')).toEqual(['turn 1']);
  expect(of('seen')).toEqual(['turn 1', 'review 1 reader']);
  expect(of('thought')).toEqual(['critique 1', 'turn 1']);
  // Only one of them has a gate of its own; all were judged as they landed.
  const judged = (await y.events()).flatMap((event) =>
    event.type === 'branch-judged' ? [event.id] : [],
  );
  expect(judged).toEqual(['feature']);
  expect(Object.keys(y.landings()).sort()).toEqual(['feature', 'letter', 'seen', 'thought']);
  expect(y.reflogGreen()).toMatchObject({ red: [] });
  // Processes of agents are as many as the record says: commit, merge and clean-up start none.
  expect(notes(y)).toBe(starts.length);
  expect((await y.status()).spend.starts).toBe(starts.length);
});
