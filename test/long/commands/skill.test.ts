// `ym skill`: instructions for the coding agent of the person.
import { expect, test } from 'vitest';
import { expectRefusal } from '../../rig/refusal.ts';
import { testProject } from '../../rig.ts';

const skill = '.claude/skills/yardmaster/SKILL.md';

test('both files are written, and removed without a trace', async () => {
  const y = testProject({ files: { 'AGENTS.md': '# Ours\n' } });
  expect(await y.ym('skill', 'install')).toMatchObject({
    code: 0,
    stdout: `Wrote ${skill}\nWrote AGENTS.md\n`,
  });
  expect(y.read(skill)).toMatch(/^---\nname: yardmaster\n/);
  expect(y.read('AGENTS.md')).toMatch(/^# Ours\n\n<!-- yardmaster:begin/);
  expect((await y.ym('skill', 'install', '--claude')).stdout).toBe(
    `Already up to date: ${skill}\n`,
  );
  expect((await y.ym('skill', 'uninstall')).code).toBe(0);
  expect(y.git('status', '--porcelain')).toBe('');
  expect((await y.ym('skill', 'uninstall', '--agents')).stdout).toBe(
    'Nothing of Yardmaster in AGENTS.md\n',
  );
});

test('the text can be read before it is written', async () => {
  const y = testProject({});
  const printed = await y.ym('skill', 'install', '--agents', '--print');
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  expect(printed.stdout).toMatch(/^<!-- yardmaster:begin[\s\S]*ym plan plan\.yaml/);
  expect(y.has('AGENTS.md')).toBe(false);
});

test('a file of the person is refused with a way out', async () => {
  const y = testProject({ files: { [skill]: 'mine\n' } });
  expectRefusal(await y.ym('skill', 'install', '--claude'), 2, 'did not write it', 'Rename');
  expect(y.read(skill)).toBe('mine\n');
  expectRefusal(await y.ym('skill', 'remove'), 2, 'install');
});
