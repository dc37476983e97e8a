// The commands that set a project up: init, config, doctor, and the flags that stand for keys of the config.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRefusal, expectUntouched } from '../../rig/refusal.ts';
import { type TestProject, testProject, write } from '../../rig.ts';

/** A PATH on which these coding agents are; each says its version and nothing else. */
function installed(y: TestProject, versions: Readonly<Record<string, string>>): { PATH: string } {
  const bin = join(y.base, 'bin');
  mkdirSync(bin);
  for (const [name, version] of Object.entries(versions)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${version}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { PATH: [bin, process.env.PATH ?? ''].join(delimiter) };
}

test('`ym config set` says what is wrong with what was typed, and clears a key', async () => {
  const y = testProject();
  const before = y.read('yardmaster.yaml');
  const much = await y.ym('config', 'set', 'jobs', '99');
  expect(much).toMatchObject({ code: 2, stdout: '' });
  expect(much.stderr).toContain('"jobs" is 99');
  expect(much.stderr).not.toContain('yardmaster.yaml:');
  const nothing = await y.ym('config', 'set', 'jobs');
  expect(nothing.stderr).toContain('No value was given for "jobs"');
  expect(y.read('yardmaster.yaml')).toBe(before);
  expect(await y.ym('config', 'set', 'jobs', '')).toMatchObject({ code: 0, stderr: '' });
  expect(await y.json('config', 'get', 'jobs')).toMatchObject({ origin: 'default' });
});

test('`ym config set` takes several keys at once, all or none, and keeps what is written around them', async () => {
  const y = testProject();
  y.write('yardmaster.yaml', '# Ours.\njobs: 2 # for now\ngate: none\nagent: claude\n');
  const before = y.read('yardmaster.yaml');
  const wrong = await y.ym('config', 'set', 'jobs=4,model.by_priority.P9=opus,retries=x');
  expectRefusal(wrong, 2, 'model.by_priority.P9', 'P0 to P4');
  expect(y.read('yardmaster.yaml')).toBe(before);
  const several = 'jobs=4,model.by_priority.0=opus,model.by_type.docs=codex:gpt-5:low,agent=';
  expect(await y.ym('config', 'set', several)).toMatchObject({ code: 0, stderr: '' });
  const after = y.read('yardmaster.yaml');
  expect(after).toContain('# Ours.\njobs: 4 # for now\n');
  expect(after).toContain('P0: opus');
  expect(after).not.toContain('agent:');
  expect((await y.ym('config', 'get', 'model.by_priority.P0')).stdout).toBe('opus\n');
  expect(
    (await y.ym('config', 'get', 'jobs', 'model.by_priority.P1', 'model.by_type')).stdout,
  ).toBe('jobs = 4\nmodel.by_priority.P1 = none\nmodel.by_type = {"docs":"codex:gpt-5:low"}\n');
  expect(await y.json('config', 'get', 'jobs', 'agent')).toMatchObject({
    schema: 1,
    keys: [
      { key: 'jobs', value: 4, origin: 'project file' },
      { key: 'agent', origin: 'default' },
    ],
  });
  expectRefusal(await y.ym('config', 'set', 'gate.commands', 'npm', 'test'), 2, 'Quote');
});

test('flags of a run are read as the keys they stand for', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], config: { agent: undefined, agents: undefined } });
  const env = installed(y, { claude: '2.1.325', codex: '0.166.0' });
  const dry = await y.ymWith({ env }, 'run', y.plan, '--agent', 'claude', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toContain('(claude)');
  const model = await y.ymWith(
    { env },
    'run',
    y.plan,
    '--agent=claude',
    '--model=codex:gpt-5',
    '-n',
  );
  expect(model.stdout).toContain('(codex)');
  const refusals: readonly [readonly string[], readonly string[]][] = [
    [
      ['--agent', 'cluade'],
      ['cluade', 'claude'],
    ],
    [['--agent', 'claude', '--fallback', 'claude'], ['fallback']],
    [
      ['--agent', 'claude', '--budget-tokens', '2MB'],
      ['budget.tokens', '500k'],
    ],
    [
      ['--agent', 'claude', '--budget-cost', '20EUR'],
      ['budget.cost', '20USD'],
    ],
    [
      ['--agent', 'codex', '--budget-cost', '20USD'],
      ['codex', 'prices'],
    ],
    [[], ['agent', 'claude']],
  ];
  for (const [flags, says] of refusals) {
    await expectUntouched(y, async () => {
      const refused = await y.ymWith({ env }, 'run', y.plan, ...flags);
      expectRefusal(refused, 2, ...says);
    });
  }
});

test('an agent that only a finished task names keeps nothing from running', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  const added = await y.ym('add', 'Wrong agent', '--id', 'g', '--agent', 'gemnii');
  expect(added).toMatchObject({ code: 0 });
  expect(added.stderr).toContain('"gemnii"');
  const refused = await y.ym('run', '--scope', 'ready');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('which the task g asks for');
  expect(refused.stderr).toContain('ym cancel g');
  expect((await y.ym('cancel', 'g')).code).toBe(0);
  await y.ym('run', y.plan);
  expect(y.landings()).toEqual({ a: 1 });
});
