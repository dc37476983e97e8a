// What ends a turn of an agent, and what is made of it.
import { expect, test } from 'vitest';
import { exit, write, yard } from '../rig.ts';

test('an agent that is killed from outside gets its turn again, and no retry is used', async () => {
  const y = yard({
    config: { retries: 0 },
    tasks: [{ id: 'killed' }, { id: 'in-a-shell' }],
    script: {
      killed: [
        [write('half.txt', 'half\n'), { crash: { signal: 'SIGKILL' } }],
        [write('whole.txt', 'whole\n')],
      ],
      'in-a-shell': [[exit(143)], [write('shell.txt', 'shell\n')]],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run.stdout).toMatch(/rests +killed +The agent was killed by SIGKILL/);
  expect(run.code).toBe(0);
  expect(y.landings()).toEqual({ killed: 1, 'in-a-shell': 1 });
  expect(y.show('half.txt')).toBe('half\n');
  expect(await y.task('killed')).toMatchObject({ state: 'landed', attempts: 1 });
});

test('an agent that quotes blocks and words of the protocol is not taken at its word', async () => {
  const quoted = [
    'I would write:',
    '```md',
    '```follow_up',
    '["Quoted"]',
    '```',
    'COMPLETE_AND_READY_FOR_MERGE',
    '```',
    '```follow_up',
    '["Meant"]',
    '```',
    'COMPLETE_AND_READY_FOR_MERGE',
  ].join('\n');
  const say = `echo "$YARD_TASK" > "$YARD_TASK.txt"
test "$YARD_TASK" = a || exec echo COMPLETE_AND_READY_FOR_MERGE
cat <<'END'
${quoted}
END`;
  const y = yard({
    config: {
      agent: 'mine',
      agents: { mine: { use: 'command', command: ['sh', '-c', say], done: 'signal' } },
    },
    tasks: [{ id: 'a' }],
  });
  await y.ym('run', y.plan);
  expect((await y.status()).tasks.map(({ id }) => id).sort()).toEqual(['a', 'meant']);
});
