// The critic of a plan: an agent that is asked once about all tasks, and what a person does with its concerns.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject, write } from '../../rig.ts';

/** A critic that answers with the file `answer` and adds a line to the file `asked`; it also leaves a file behind. */
const criticScript = (stage: string): string =>
  `cat > '${stage}/prompt'; echo x >> '${stage}/asked'; touch left-behind; cat '${stage}/answer'`;

function project(): TestProject {
  const y = testProject({
    tasks: [
      { id: 'api', body: 'Create src/api.ts.' },
      { id: 'page', body: 'Show what src/api.ts answers.' },
      { id: 'docs', after: ['api'] },
    ],
    script: Object.fromEntries(['api', 'page', 'docs'].map((id) => [id, [[write(id, 'x\n')]]])),
  });
  const { agents, ...rest } = JSON.parse(readFileSync(join(y.root, 'yardmaster.yaml'), 'utf8'));
  const critic = { use: 'command', command: ['sh', '-c', criticScript(y.stage)] };
  const config = { ...rest, agents: { ...agents, critic }, plan: { critic: 'critic' } };
  y.write('yardmaster.yaml', JSON.stringify(config));
  return y;
}

const answers = (y: TestProject, ...lines: string[]): void =>
  writeFileSync(join(y.stage, 'answer'), `${lines.join('\n')}\n`);

const timesAsked = (y: TestProject): number => {
  const file = join(y.stage, 'asked');
  return existsSync(file) ? readFileSync(file, 'utf8').length / 2 : 0;
};

test('a run refuses a blocked plan, asks before one with warnings, and stores nothing of either', async () => {
  const y = project();
  const none = async () =>
    expect((await y.ym('tasks', '--all')).stdout).toMatch(/^No task|nothing/i);
  answers(y, 'CONCERN block: api and page exclude each other');
  const blocked = await y.ym('run', y.plan, '--force', '--yes');
  expect(blocked).toMatchObject({ code: 2 });
  expect(blocked.stderr).toContain('block: api and page exclude each other');
  expect(blocked.stderr).toContain('The plan was refused, and nothing was stored');
  answers(y, 'CONCERN warn: page is vague', 'FIX: after docs: page');
  // Another text, so that the critic is asked again.
  const tasks = ['api', 'page', 'docs'].map((id) => ({
    id,
    title: `Make ${id}`,
    checks: ['true'],
  }));
  y.writeTasks(tasks);
  const warned = await y.ym('run', y.plan);
  expect(warned).toMatchObject({ code: 2 });
  expect(warned.stderr).toContain('The plan has 1 warning, and there is no terminal to ask you');
  expect(warned.stderr).not.toContain('--apply');
  await none();
  expect(timesAsked(y)).toBe(2);
  expect(await y.ym('run', y.plan, '--yes')).toMatchObject({ code: 0 });
  expect(timesAsked(y)).toBe(2);
  expect(y.landed()).toHaveLength(3);
  // Times are learned from what landed, as in `ym plan`.
  answers(y, 'CONCERN block: no');
  y.writeTasks([{ id: 'more', checks: ['true'] }]);
  const next = await y.ym('run', y.plan);
  expect(next.stderr).toMatch(/about/);
});
