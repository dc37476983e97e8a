// Agents side by side: that they really are, and what each of them is given.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestProject, testProject } from '../../rig.ts';

test('all land where there are more jobs than tasks', async () => {
  const ids = Array.from({ length: 6 }, (_, at) => `t${at}`);
  const y = testProject({
    tasks: ids.map((id) => ({ id })),
    script: { default: [[{ run: { shell: 'echo 1 > "$YARD_TASK.txt"' } }]] },
  });
  expect(await y.ym('run', y.plan, '--jobs', '16')).toMatchObject({ code: 0 });
  expect([...y.landed()].sort()).toEqual([...ids].sort());
});

/** A command agent whose program the test writes itself. */
function commandProject(
  script: string,
  profile: Readonly<Record<string, unknown>> = {},
): TestProject {
  const y = testProject({ tasks: [{ id: 'a', title: 'Write A', body: 'Say hello.' }] });
  const agent = join(y.base, 'agent.sh');
  writeFileSync(agent, `#!/bin/sh\nset -e\n${script}`);
  chmodSync(agent, 0o755);
  const agents = { mine: { use: 'command', command: [agent, 'one word'], ...profile } };
  const gate = { commands: ['sh gate.sh'] };
  y.write(
    'yardmaster.yaml',
    `${JSON.stringify({ agent: 'mine', agents, gate, retries: 0, sandbox: 'none' })}\n`,
  );
  y.commit('An agent of my own');
  return y;
}

test('a command agent finds its prompt in a file, with its own variables', async () => {
  const y = commandProject('cp "$YARD_PROMPT_FILE" prompt.txt\necho "$COLOUR" > colour.txt\n', {
    prompt: 'file',
    env: { COLOUR: 'green' },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('prompt.txt')).toContain('Say hello.');
  expect(y.show('colour.txt')).toBe('green\n');
});

test('with done: signal the agent has to say that it is complete', async () => {
  const y = commandProject('cat > prompt.txt\necho COMPLETE_AND_READY_FOR_MERGE\n', {
    done: 'signal',
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('prompt.txt')).toContain('COMPLETE_AND_READY_FOR_MERGE');
  expect(existsSync(join(y.root, 'prompt.txt'))).toBe(true);
});
