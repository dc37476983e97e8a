import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runConfig } from '../../src/app/target.ts';
import { openProject } from '../../src/wire/project.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from '../rig.ts';

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly target?: string;
}

/** What a run in this yard would be judged by. */
async function judged(y: TestProject, { env = {}, flags = {}, target }: Surroundings = {}) {
  const all = { HOME: y.home, YARDMASTER_STATE_DIR: y.state, ...env };
  const project = need(await openProject(y.root, all));
  try {
    return await runConfig(project, { flags, target });
  } finally {
    await project.git.close();
  }
}

async function settled(y: TestProject, surroundings: Surroundings = {}) {
  const found = need(await judged(y, surroundings));
  return found;
}

test('what is committed on the target judges, and an edit in the checkout is told', async () => {
  const y = testProject({ config: { gate: { commands: ['sh gate.sh'] }, jobs: 2 } });
  y.write(
    'yardmaster.yaml',
    'jobs: 3\ngate: { commands: ["true"], reruns: 0 }\nrules: { tests: off }\n',
  );
  const { config, warnings } = await settled(y);
  expect(config.gate).toMatchObject({ kind: 'commands', commands: ['sh gate.sh'], reruns: 1 });
  expect(config.rules.tests).toBe('guard');
  expect(config.jobs).toBe(3);
  expect(warnings).toEqual([
    'yardmaster.yaml in your checkout sets gate.commands to ["true"], but runs use the value on main (["sh gate.sh"]). Commit your change to main to use it.',
    'yardmaster.yaml in your checkout sets gate.reruns to 0, but runs use the value on main (nothing). Commit your change to main to use it.',
    'yardmaster.yaml in your checkout sets rules.tests to off, but runs use the value on main (nothing). Commit your change to main to use it.',
  ]);
});

test('nothing is told where only other keys differ, or the same is written otherwise', async () => {
  const y = testProject({ config: { gate: { commands: ['sh gate.sh'] } } });
  y.write('yardmaster.yaml', 'jobs: 9\nagent: claude\ngate: { commands: sh gate.sh }\n');
  const { config, warnings } = await settled(y);
  expect(warnings).toEqual([]);
  expect(config).toMatchObject({ jobs: 9, agent: 'claude' });
});

test('a file that is gone from the checkout still judges', async () => {
  const y = testProject();
  rmSync(join(y.root, 'yardmaster.yaml'));
  const { config, warnings } = await settled(y);
  expect(config.gate).toMatchObject({ commands: ['sh gate.sh'] });
  expect(warnings).toEqual([
    'yardmaster.yaml in your checkout sets gate.commands to nothing, but runs use the value on main (["sh gate.sh"]). Commit your change to main to use it.',
  ]);
});

test('a target without the file leaves all to the checkout', async () => {
  const y = testProject();
  y.git('rm', '-q', '--cached', 'yardmaster.yaml');
  y.git('commit', '-q', '-m', 'Not ours');
  y.write('yardmaster.yaml', 'gate: { commands: [make] }\n');
  const { config, warnings } = await settled(y);
  expect(config.gate).toMatchObject({ commands: ['make'] });
  expect(warnings).toEqual([]);
});

test('the target that is meant judges, and not the branch that is checked out', async () => {
  const y = testProject();
  y.git('checkout', '-q', '-b', 'other');
  y.write('yardmaster.yaml', 'gate: { commands: [other] }\n');
  y.commit('Another gate');
  const other = await settled(y);
  expect(other.config.gate).toMatchObject({ commands: ['other'] });
  expect(other.warnings).toEqual([]);
  for (const surroundings of [{ flags: { target: 'main' } }, { target: 'main' }]) {
    const main = await settled(y, surroundings);
    expect(main.config.gate).toMatchObject({ commands: ['sh gate.sh'] });
    expect(main.warnings).toHaveLength(1);
  }
});

test('what a person says for this run goes over it, without a warning', async () => {
  const y = testProject();
  const env = { YARDMASTER_GATE__COMMANDS: 'make all' };
  y.write('yardmaster.yaml', 'gate: { commands: [other] }\n');
  const { config, warnings } = await settled(y, { env });
  expect(config.gate).toMatchObject({ commands: ['make all'] });
  expect(warnings).toEqual([]);
});

test('what is wrong on the target is refused with its place; what is wrong here as well', async () => {
  const y = testProject();
  y.write('yardmaster.yaml', 'jobs: 2\ngate: { reruns: 9 }\n');
  y.commit('A slip');
  y.write('yardmaster.yaml', 'jobs: 2\n');
  expect(await judged(y)).toMatchObject({
    ok: false,
    failure: [{ kind: 'config-invalid', file: 'yardmaster.yaml at main', line: 2 }],
  });
  y.write('yardmaster.yaml', 'jobs: 0\n');
  expect(await judged(y)).toMatchObject({ failure: [{ file: 'yardmaster.yaml', line: 1 }] });
});

test('without a target that is fit the checkout counts, and whoever needs one says what is wrong', async () => {
  const y = testProject();
  const { config, warnings } = await settled(y, { flags: { target: 'mian' } });
  expect(config.gate).toMatchObject({ commands: ['sh gate.sh'] });
  expect(warnings).toEqual([]);
});

test('a secret of an agent and a long value are not spread out in a warning', async () => {
  const agents = { actor: { use: 'command', command: ['x'], env: { TOKEN: 'sesame-open-9' } } };
  const y = testProject({ config: { agents } });
  const gate = { commands: [`curl -H sesame-open-9 ${'x'.repeat(500)}`] };
  y.write('yardmaster.yaml', JSON.stringify({ agent: 'actor', agents, gate }));
  const [warning = ''] = (await settled(y)).warnings;
  expect(warning).not.toContain('sesame');
  expect(warning).toContain('curl');
  expect(warning.length).toBeLessThan(500);
});
