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
const timesAsked = (y: TestProject): number =>
  readFileSync(join(y.stage, 'asked'), 'utf8').length / 2;
const stored = async (y: TestProject): Promise<readonly string[]> =>
  JSON.parse((await y.ym('tasks', '--all', '--json')).stdout).tasks.map(
    ({ id }: { id: string }) => id,
  );

const index = { id: 'index', title: 'Build the index', paths: ['src/none/**', 'gate.sh'] };
const page = { id: 'page', title: 'Add the page', after: ['index'], model: 'big' };

test('an invalid proposal goes back once, and nothing is stored if it stays invalid', async () => {
  const y = project();
  answers(y, 'answer', { ...page, after: ['indx'] });
  answers(y, 'answer2', index, page);
  writeFileSync(join(y.root, 'goal.md'), 'Add search\n');
  const corrected = await y.ym('plan', '--spec', 'goal.md', '--yes');
  expect(corrected).toMatchObject({ code: 0 });
  expect(readFileSync(join(y.stage, 'prompt'), 'utf8')).toContain(
    'Your block has these problems:\n- page depends on "indx", which does not exist.',
  );
  expect(await stored(y)).toEqual(['index', 'page']);
  writeFileSync(join(y.stage, 'answer2'), 'I cannot do that.\n');
  const failed = await y.ym('plan', '--goal', 'Something else', '--yes');
  expect(failed).toMatchObject({ code: 2, stdout: '' });
  expect(failed.stderr).toContain('The agent planner proposed no valid plan');
  expect(failed.stderr).toContain('the tasks block of planner: it is missing.');
  expect(timesAsked(y)).toBe(4);
  expect(await stored(y)).toEqual(['index', 'page']);
  const both = await y.ym('plan', '--goal', 'x', '--spec', 'goal.md');
  expect(both).toMatchObject({ code: 2 });
  expect((await y.ym('plan', '--goal', ' ')).stderr).toContain('The goal is empty');
  expect((await y.ym('plan', 'x.yaml', '--revise')).code).toBe(2);
});

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
