// One run of the built program with each real agent: it works in two turns of one conversation, and its work lands.
import { expect, it } from 'vitest';
import { agentPool, complete, work } from './agent-pool.ts';
import { cliNames, eachCli } from './clis.ts';

eachCli('a run', cliNames, (name) => {
  it('lands what the gate refused at first, and counts what the server counted', async () => {
    const { project: y, server } = await agentPool({
      scripts: {
        [name]: {
          turns: [
            [{ run: `${work}; echo rash > red` }, { say: complete }],
            [{ run: 'rm red' }, { say: complete }],
          ],
        },
      },
      tasks: [{ id: 'a' }],
    });
    const run = await y.ym('run', y.plan);
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
    expect(y.landed()).toEqual(['a']);
    const asked = server.journal.requests(name).flatMap(({ prompts }) => prompts);
    expect(asked.some((prompt) => prompt.includes('there is a file called red'))).toBe(true);
    const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout);
    const { input, output } = server.journal.usage(name);
    expect(spend.totals).toMatchObject({ turns: 2, landed: 1, input, output });
  }, 240_000);
});
