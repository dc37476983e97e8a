// A planner proposes tasks for a goal: what is stored, what goes back to it, and what is only shown.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject } from '../../rig.ts';

/** A planner that answers with the file `answer`, or with `answer2` from its second call on, and counts its calls. */
const plannerScript = (stage: string): string =>
  `cat > '${stage}/prompt'; n='${stage}/answer'; [ -e '${stage}/asked' ] && n='${stage}/answer2'; echo x >> '${stage}/asked'; touch left-behind; cat "$n"`;

function project(plan: object = {}, agents: object = {}): TestProject {
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

const answers = (y: TestProject, file: 'answer' | 'answer2', ...tasks: object[]): void =>
  writeFileSync(
    join(y.stage, file),
    `Here it is.\n\n\`\`\`tasks\n${JSON.stringify(tasks)}\n\`\`\`\n`,
  );
const stored = async (y: TestProject): Promise<readonly string[]> =>
  JSON.parse((await y.ym('tasks', '--all', '--json')).stdout).tasks.map(
    ({ id }: { id: string }) => id,
  );

const index = { id: 'index', title: 'Build the index', paths: ['src/none/**', 'gate.sh'] };

test('a blocking concern refuses a proposal, also with --yes', async () => {
  const critic = { use: 'command', command: ['sh', '-c', 'echo "CONCERN block: too vague"'] };
  const y = project({ critic: 'critic' }, { critic });
  answers(y, 'answer', index);
  const refused = await y.ym('plan', '--goal', 'Add search', '--yes');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stdout).toContain('block: too vague');
  expect(refused.stderr).toContain('The plan was refused, and nothing was stored: too vague');
  expect(await stored(y)).toEqual([]);
});
