// Shared by program/plan-proposal.test.ts and long/plan/plan-proposal.test.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestProject, testProject } from '../rig.ts';

/** A planner that answers with the file `answer`, or with `answer2` from its second call on, and counts its calls. */
const plannerScript = (stage: string): string =>
  `cat > '${stage}/prompt'; n='${stage}/answer'; [ -e '${stage}/asked' ] && n='${stage}/answer2'; echo x >> '${stage}/asked'; touch left-behind; cat "$n"`;

export function project(plan: object = {}, agents: object = {}): TestProject {
  const y = testProject({ tasks: [{ id: 'old' }] });
  const { agents: own, ...rest } = JSON.parse(
    readFileSync(join(y.root, 'yardmaster.yaml'), 'utf8'),
  );
  const planner = { use: 'command', command: ['sh', '-c', plannerScript(y.stage)] };
  const config = {
    ...rest,
    agents: { ...own, planner, ...agents },
    plan: { agent: 'planner', ...plan },
  };
  y.write('yardmaster.yaml', JSON.stringify(config));
  return y;
}

export const answers = (y: TestProject, file: 'answer' | 'answer2', ...tasks: object[]): void =>
  writeFileSync(
    join(y.stage, file),
    `Here it is.\n\n\`\`\`tasks\n${JSON.stringify(tasks)}\n\`\`\`\n`,
  );

export const stored = async (y: TestProject): Promise<readonly string[]> =>
  JSON.parse((await y.ym('tasks', '--all', '--json')).stdout).tasks.map(
    ({ id }: { id: string }) => id,
  );

export const index = { id: 'index', title: 'Build the index', paths: ['src/none/**', 'gate.sh'] };
