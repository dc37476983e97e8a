// A question of an agent in a run under way: a hook tells of it, somebody answers, and the work lands.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject, until } from '../rig.ts';

const asks = `cat > "$HOME/prompt"
if [ "$YARD_TURN" = 1 ]; then echo 'ASK: Which port?'; else echo 80 > port.txt; echo COMPLETE_AND_READY_FOR_MERGE; fi`;

/** A project whose agent asks in its first turn. The hook writes its message to a file, as a whole. */
const asking = (): TestProject =>
  testProject({
    config: {
      agent: 'asker',
      agents: { asker: { use: 'command', command: ['sh', '-c', asks], done: 'signal' } },
      hooks: {
        me: {
          use: 'command',
          command: 'cat > "$HOME/asked.part" && mv "$HOME/asked.part" "$HOME/asked.json"',
          on: 'question-asked',
        },
      },
    },
    tasks: [{ id: 'port' }],
  });

const asked = async (y: TestProject): Promise<unknown> => {
  const file = join(y.home, 'asked.json');
  await until(() => existsSync(file), 'the call of the hook');
  return JSON.parse(readFileSync(file, 'utf8'));
};

const promptOf = (y: TestProject): string => readFileSync(join(y.home, 'prompt'), 'utf8');

const question = { point: 'question-asked', text: 'port has a question: Which port?' };

test('ym answer answers the question that a hook told of, and the task lands', async () => {
  const y = asking();
  const run = y.start('run', y.plan);
  expect(await asked(y)).toMatchObject({ ...question, task: { id: 'port' } });
  expect(await y.task('port')).toMatchObject({ state: 'blocked', attempts: 1 });
  expect(await y.ym('answer', 'port', 'Port 80')).toMatchObject({
    code: 0,
    stdout: 'port has its answer; the run continues with it\n',
  });
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(promptOf(y)).toMatch(/Which port\?[\s\S]*Port 80/);
  expect(y.landings()).toEqual({ port: 1 });
});
