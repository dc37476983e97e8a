// Best of N: several agents work on one task side by side, one result lands, and nothing of the others is lost.
import { expect, test } from 'vitest';
import { testProject } from '../rig.ts';

const agent = (script: string) => ({ use: 'command', command: ['sh', '-c', script], done: 'exit' });

/** Three agents for one task: a short good change, a long good change, and one that the gate refuses. */
function threeAgents(attempts: object) {
  return testProject({
    tasks: [
      { id: 'a', attempts: { agents: ['long', 'broken', 'short'], ...attempts } },
      { id: 'b', after: ['a'] },
    ],
    files: { 'gate.sh': 'test ! -e red || { echo "there is a file called red"; exit 1; }\n' },
    leaves: ['branches'],
    config: {
      agent: 'short',
      agents: {
        short: agent('echo one > "${YARD_TASK%%.*}.txt"'),
        long: agent('printf "one\\ntwo\\nthree\\n" > "${YARD_TASK%%.*}.txt"'),
        broken: agent('echo no > red'),
      },
      gate: { commands: ['sh gate.sh'] },
      jobs: 3,
      retries: 0,
    },
  });
}

interface Compared {
  readonly choice?: { readonly variant: string; readonly by: string };
  readonly variants: readonly {
    readonly state: string;
    readonly gate: string;
    readonly branch: string;
  }[];
}

async function comparedIn(y: ReturnType<typeof testProject>): Promise<Compared> {
  const { stdout } = await y.ym('compare', 'a', '--json');
  return JSON.parse(stdout) as Compared;
}

test('without a chooser the smallest change that passed is chosen, and the reason is said', async () => {
  const y = threeAgents({});
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('a.txt')).toBe('one\n');
  const { choice, variants } = await comparedIn(y);
  expect(choice).toMatchObject({
    variant: 'a.v3',
    by: 'rule',
    reason: 'smallest change: 1 line added or removed',
  });
  expect(variants.map(({ state }) => state)).toEqual(['superseded', 'superseded', 'landed']);
  expect((await y.ym('why', 'a')).stdout).toContain('a.v3 was chosen by a rule: smallest change');
});
