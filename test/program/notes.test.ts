// Notes of people and agents, from one task and one run to the next.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../rig/child.ts';
import { testProject } from '../rig.ts';

test('notes of people and agents reach the prompts of later tasks and runs', async () => {
  const noted = '[{"kind": "finding", "text": "The parser drops tabs."}]';
  const say = `echo "$YARD_TASK" > "$YARD_TASK.txt"
test "$YARD_TASK" = b && "${process.execPath}" "${program}" agent note decision "Dates are in UTC" >&2
test "$YARD_TASK" = a && printf '%s\\n' '\`\`\`note' '${noted}' '\`\`\`'
echo COMPLETE_AND_READY_FOR_MERGE`;
  const y = testProject({
    config: {
      agent: 'mine',
      agents: { mine: { use: 'command', command: ['sh', '-c', say], done: 'signal' } },
    },
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
  });
  expect(await y.ym('notes', 'add', 'convention', 'Use', 'tabs')).toMatchObject({
    code: 0,
    stdout: 'Added note 1\n',
  });
  expect((await y.ym('run', y.plan)).code).toBe(0);
  const prompt = async (attempt: string) => {
    const { id = '' } = (await y.status()).run ?? {};
    const file = join(y.root, '.git/yardmaster/runs', id, 'attempts', attempt, 'turn-1.prompt.md');
    return readFileSync(file, 'utf8').split('======== your task ========');
  };
  const [shared = '', own = ''] = await prompt('a-1');
  expect(shared).toContain('- note 1, convention of a person: Use tabs');
  expect(own).not.toContain('note 1');
  expect((await prompt('b-1'))[0]).toBe(shared);
  expect((await prompt('b-1'))[1]).toContain(
    '- note 2, finding of the agent of a: The parser drops tabs.',
  );
  expect((await y.ym('notes')).stdout).toMatch(/3 +decision +mine for b +Dates are in UTC\n/);

  expect((await y.ym('notes', 'edit', '1', 'Use spaces')).stdout).toBe('Note 4 replaces note 1\n');
  expect((await y.ym('notes', 'remove', '2', '--reason', 'fixed')).stdout).toBe('Removed note 2\n');
  const wrong = await y.ym('notes', 'edit', '1', 'again');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('replaced by note 4')]);
  const { notes } = JSON.parse((await y.ym('notes', '--all', '--json')).stdout);
  expect(notes.map(({ state }: { state: { id: string } }) => state.id)).toEqual([
    'superseded',
    'removed',
    'current',
    'current',
  ]);
});
