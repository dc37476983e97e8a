// The commands that set a project up: init, config, doctor, and the flags that stand for keys of the config.

import { expect, test } from 'vitest';
import { testProject, write } from '../rig.ts';

test('`ym init` writes a config that works with the gate it finds', async () => {
  const y = testProject({ files: { 'package.json': '{ "scripts": { "test": "sh gate.sh" } }' } });
  y.git('rm', '-q', 'yardmaster.yaml');
  y.commit('No config');
  const made = await y.ym('init', '--yes');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(y.read('yardmaster.yaml')).toContain('npm test');
  // Editors complete the keys by the schema that the file names.
  const schema = /\$schema=(\S+)/.exec(y.read('yardmaster.yaml'))?.[1] ?? '';
  expect(JSON.parse(y.read(schema))).toMatchObject({ properties: { gate: expect.anything() } });
  expect(y.git('status', '--porcelain')).toBe('?? yardmaster.yaml\n');
  expect(await y.json('config', 'get', 'gate.commands')).toMatchObject({ value: ['npm test'] });
  const again = await y.ym('init', '--yes');
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toContain('--force');
  y.write('yardmaster.yaml', 'jobs: 3\n');
  expect(await y.ym('init', '--yes', '--force')).toMatchObject({ code: 0 });
  expect(y.read('yardmaster.yaml')).not.toContain('jobs: 3');
});

test('`ym doctor` finds nothing wrong, or says how to fix each thing that is', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  await y.ym('run', y.plan);
  const well = await y.json('doctor');
  expect(well.ok).toBe(true);
  const names = well.checks.map((check: { name: string }) => check.name);
  expect(names).toEqual(expect.arrayContaining(['git', 'identity', 'gate', 'agent', 'store']));
  y.git('config', '--unset', 'user.name');
  await y.ym('config', 'set', 'gate.commands', '["no-such-program"]');
  const ill = await y.ym('doctor');
  expect(ill.code).toBe(3);
  expect(ill.stdout).toContain('git config user.name');
  expect(ill.stdout).toContain('no-such-program');
  const told = JSON.parse((await y.ym('doctor', '--json')).stdout);
  expect(told).toMatchObject({ ok: false });
});
