// A question of an agent in a run under way: a hook tells of it, somebody answers, and the work lands.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connected } from '../../mcp/rig.ts';
import { type TestProject, testProject, until } from '../../rig.ts';

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

test('an agent answers it through MCP, and the task lands', async () => {
  const y = asking();
  const client = await connected(y);
  await client.call('run', { sources: [y.plan] });
  expect(await asked(y)).toMatchObject(question);
  expect(JSON.stringify(await client.call('status'))).toContain('Which port?');
  expect(await client.call('answer', { id: 'port', text: 'Port 80' })).not.toHaveProperty(
    'refused',
  );
  await y.untilStatus(({ run }) => run?.state === 'ended', 'the end of the run');
  expect(promptOf(y)).toMatch(/Which port\?[\s\S]*Port 80/);
  expect(y.landings()).toEqual({ port: 1 });
});
