// Instructions for coding agents in the files of a project: theirs is never lost.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeSkill, type SkillPlace, skillFileText } from '../../src/app/skill.ts';
import { here } from '../../src/wire/place.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const skill = '.claude/skills/yardmaster/SKILL.md';

function project(files: Readonly<Record<string, string>> = {}) {
  const root = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const ports = { root, writeFile: here.writeFile };
  return {
    root,
    install: (...places: SkillPlace[]) => changeSkill(ports, 'install', places),
    uninstall: (...places: SkillPlace[]) => changeSkill(ports, 'uninstall', places),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    has: (path: string) => existsSync(join(root, path)),
  };
}

describe.each([
  ['claude', skill],
  ['agents', 'AGENTS.md'],
] as const)('for %s', (place, file) => {
  it('a file is written, left alone if it is current, and deleted again', async () => {
    const p = project();
    expect(await p.install(place)).toEqual({ ok: true, value: [{ file, effect: 'written' }] });
    expect(p.read(file)).toBe(skillFileText(place));
    expect(await p.install(place)).toMatchObject({ value: [{ effect: 'unchanged' }] });
    expect(await p.uninstall(place)).toMatchObject({ value: [{ effect: 'removed' }] });
    expect(p.has(file)).toBe(false);
    expect(p.has('.claude')).toBe(false);
    expect(await p.uninstall(place)).toMatchObject({ value: [{ effect: 'absent' }] });
  });

  it('an old version is replaced, and text around it stays', async () => {
    const p = project();
    await p.install(place);
    writeFileSync(join(p.root, file), `${p.read(file)}\nMine.\n`);
    expect(await p.install(place)).toMatchObject({ value: [{ effect: 'unchanged' }] });
    expect(await p.uninstall(place)).toMatchObject({ value: [{ effect: 'removed' }] });
    expect(p.read(file)).toContain('Mine.');
    expect(p.read(file)).not.toContain('yardmaster:begin');
  });

  it('a section that was changed by hand is left alone', async () => {
    const p = project();
    await p.install(place);
    const edited = p.read(file).replace('## Rules', '## My rules');
    writeFileSync(join(p.root, file), edited);
    for (const change of [p.install, p.uninstall]) {
      expect(await change(place)).toMatchObject({
        ok: false,
        failure: [{ problem: expect.stringContaining('changed by hand') }],
      });
    }
    expect(p.read(file)).toBe(edited);
  });
});

it('a section is added to the AGENTS.md of a person, whose text stays byte for byte', async () => {
  const theirs = '# Our rules\n\nUse tabs.\n';
  const p = project({ 'AGENTS.md': theirs });
  expect(await p.install('agents')).toMatchObject({ value: [{ effect: 'written' }] });
  expect(p.read('AGENTS.md').startsWith(theirs)).toBe(true);
  await p.uninstall('agents');
  expect(p.read('AGENTS.md')).toBe(theirs);
});

it('a skill of a person with the same name is not touched', async () => {
  const p = project({ [skill]: 'mine\n' });
  expect(await p.install('claude')).toMatchObject({
    ok: false,
    failure: [{ problem: expect.stringContaining('did not write it') }],
  });
  expect(await p.uninstall('claude')).toMatchObject({ value: [{ effect: 'absent' }] });
  expect(p.read(skill)).toBe('mine\n');
});

it('other skills stay when ours is removed', async () => {
  const other = '.claude/skills/other/SKILL.md';
  const p = project({ [other]: 'other\n' });
  await p.install('claude');
  await p.uninstall('claude');
  expect(p.has('.claude/skills/yardmaster')).toBe(false);
  expect(p.read(other)).toBe('other\n');
});

it('a link within the project stays a link, and one that leads out of it is refused', async () => {
  const p = project({ 'docs/rules.md': 'Rules.\n' });
  symlinkSync('docs/rules.md', join(p.root, 'AGENTS.md'));
  await p.install('agents');
  expect(p.read('docs/rules.md')).toContain('yardmaster:begin');
  const outside = project({ 'AGENTS.md': 'Theirs.\n' });
  const q = project();
  symlinkSync(join(outside.root, 'AGENTS.md'), join(q.root, 'AGENTS.md'));
  expect(await q.install('agents')).toMatchObject({ ok: false });
  expect(outside.read('AGENTS.md')).toBe('Theirs.\n');
});

it('a place that refuses keeps the other one from being changed, and all refusals are reported', async () => {
  const p = project();
  await p.install('claude', 'agents');
  const edit = (file: string) =>
    writeFileSync(join(p.root, file), p.read(file).replace('## Rules', '## My rules'));
  edit('AGENTS.md');
  const before = p.read(skill);
  expect(await p.uninstall('claude', 'agents')).toMatchObject({
    ok: false,
    failure: [{ problem: expect.stringContaining('AGENTS.md was changed by hand') }],
  });
  expect(p.read(skill)).toBe(before);
  edit(skill);
  const both = await p.uninstall('claude', 'agents');
  expect(both.ok ? [] : both.failure).toHaveLength(2);
});
