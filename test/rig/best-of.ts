// Shared by program/best-of.test.ts and long/plan/best-of.test.ts.
import { testProject } from '../rig.ts';

const agent = (script: string) => ({ use: 'command', command: ['sh', '-c', script], done: 'exit' });

/** Three agents for one task: a short good change, a long good change, and one that the gate refuses. */
export function threeAgents(attempts: object) {
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

export async function comparedIn(y: ReturnType<typeof testProject>): Promise<Compared> {
  const { stdout } = await y.ym('compare', 'a', '--json');
  return JSON.parse(stdout) as Compared;
}
