// All four agents in one run of the built program.
import { expect, it } from 'vitest';
import { agentPool, complete, work } from '../../agents/agent-pool.ts';
import { cliNames, withClis } from '../../agents/clis.ts';
import { models } from '../../agents/surroundings.ts';
import type { Script } from '../../model-server/script.ts';

/** One task ends its first turn without a word, the other hands in what the gate refuses. */
const script: Script = {
  turns: [[{ run: work }, { say: 'I am not sure yet.' }], [{ say: complete }]],
  where: [
    {
      says: 'rash work',
      turns: [
        [{ run: `${work}; echo rash > red` }, { say: complete }],
        [{ run: 'rm red' }, { say: complete }],
      ],
    },
  ],
};

interface Spend {
  readonly totals: Record<string, number>;
  readonly byAgent: readonly ({ readonly agent: string } & Record<string, number | string>)[];
  readonly byModel: readonly { readonly model: string | null; readonly turns: number }[];
}

withClis('a agent pool of four', cliNames, () => {
  it('lands two tasks each, goes on with each conversation, and counts what the server did', async () => {
    const { project: y, server } = await agentPool({
      scripts: Object.fromEntries(cliNames.map((name) => [name, script])),
      profile: { count: 1 },
      tasks: cliNames.flatMap((agent) => [
        { id: `${agent}-quiet`, title: 'quiet work', agent },
        { id: `${agent}-rash`, title: 'rash work', agent },
      ]),
    });
    const run = await y.ym('run', y.plan, '--jobs', '4');
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
    expect([...y.landed()].sort()).toEqual(
      cliNames.flatMap((agent) => [`${agent}-quiet`, `${agent}-rash`]).sort(),
    );

    const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout) as { spend: Spend };
    for (const name of cliNames) {
      const { input, cacheRead, cacheWrite, output } = server.journal.usage(name);
      const row = spend.byAgent.find(({ agent }) => agent === name);
      expect({ name, ...row }).toMatchObject({
        name,
        input,
        cacheRead,
        cacheWrite,
        output,
        turns: 4,
      });
      // Both conversations were gone on with: the second prompt came with the first.
      const second = server.journal.requests(name).filter(({ prompts }) => prompts.length === 2);
      expect(second.some(({ prompts }) => prompts[0]?.includes('quiet work'))).toBe(true);
      expect(second.some(({ prompts }) => prompts[0]?.includes('rash work'))).toBe(true);
      expect(second.some(({ prompts }) => prompts[1]?.includes('there is a file called red'))).toBe(
        true,
      );
      const asked = new Set(server.journal.requests(name).map(({ model }) => model));
      expect([...asked]).toEqual([models[name].replace(/^.*\//, '')]);
    }
    const all = server.journal.usage();
    expect(spend.totals).toMatchObject({
      turns: 16,
      landed: 8,
      input: all.input,
      cacheRead: all.cacheRead,
      cacheWrite: all.cacheWrite,
      output: all.output,
      total: all.input + all.cacheRead + all.cacheWrite + all.output,
    });
    expect(new Set(spend.byModel.map(({ model }) => model))).toEqual(
      new Set(Object.values(models)),
    );
    const started = (await y.events()).flatMap((event) =>
      event.type === 'turn-started' ? [`${event.agent ?? ''} ${event.model}`] : [],
    );
    expect(started).toHaveLength(16);
    expect(server.journal.strays().filter(({ status }) => status >= 400)).toEqual([]);
  }, 240_000);
});
