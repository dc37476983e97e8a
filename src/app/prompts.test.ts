import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { loadConfig } from '../config/config.ts';
import { promptsOf } from './prompts.ts';

let root: string;

beforeEach(() => {
  root = tempFolder();
});

function prompts(text: string) {
  const readFile = (path: string): string | undefined =>
    path.endsWith('yardmaster.yaml') ? text : undefined;
  const config = need(loadConfig({ root, env: {}, flags: {}, readFile }));
  return promptsOf(config, root);
}

describe('the prompts of an agent', () => {
  it('are those for all, unless it has its own', () => {
    writeFileSync(join(root, 'all.md'), 'Be kind.\n');
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs', 'own.md'), 'Work on {{task.id}}.\n');
    const found = need(
      prompts('prompts: all.md\nagents: { a: { use: codex, prompts: [docs/own.md] } }'),
    );
    const files = (agent: string): string[] => found(agent).map(({ file }) => file);
    expect(files('claude')).toEqual(['all.md']);
    expect(files('a')).toEqual(['docs/own.md']);
    expect(files('nobody')).toEqual([]);
  });

  it('are refused with everything that is wrong, each thing once', () => {
    writeFileSync(join(root, 'all.md'), 'Work on {{task.nmae}}.\n');
    mkdirSync(join(root, 'folder.md'));
    const found = prompts('prompts: [all.md, gone.md, folder.md]');
    expect(found.ok).toBe(false);
    if (found.ok) return;
    const said = found.failure.map((failure) => ('file' in failure ? failure.file : ''));
    expect(said.sort()).toEqual(['all.md', 'folder.md', 'gone.md']);
  });

  const problems = (text: string): unknown => {
    const found = prompts(text);
    return found.ok ? [] : found.failure.map((failure) => 'problem' in failure && failure.problem);
  };

  it('are refused where they are no text', () => {
    writeFileSync(join(root, 'picture.md'), Buffer.from([0x89, 0x50, 0, 1]));
    writeFileSync(join(root, 'all.md'), '{{include: picture.md}}');
    expect(problems('prompts: [picture.md, all.md]')).toEqual([
      'the prompt file is not text: it has a NUL byte',
      'it includes picture.md, which is not text: it has a NUL byte',
    ]);
  });

  it('are refused where they are far too large, without being read', () => {
    writeFileSync(join(root, 'all.md'), '');
    truncateSync(join(root, 'all.md'), 3 * 1024 ** 3);
    expect(problems('prompts: all.md')).toEqual(['the prompt file has more than 3145728 bytes']);
  });

  it('include nothing from outside of the repository, not even by a link', () => {
    const outside = tempFolder();

    writeFileSync(join(outside, 'secret.md'), 'secret');
    symlinkSync(outside, join(root, 'way'));
    symlinkSync('kind.md', join(root, 'inside.md'));
    writeFileSync(join(root, 'kind.md'), 'Be kind.');
    writeFileSync(join(root, 'all.md'), '{{include: inside.md}}\n{{include: way/secret.md}}');
    expect(problems('prompts: all.md')).toEqual([
      'it includes way/secret.md, which is outside the repository',
    ]);
    // What the config names itself is what a person wants.
    expect(problems('prompts: way/secret.md')).toEqual([]);
  });

  it('are refused where they cannot be read', () => {
    symlinkSync('round.md', join(root, 'round.md'));
    expect(problems('prompts: round.md')).toEqual(['the prompt file cannot be read (ELOOP)']);
  });
});
