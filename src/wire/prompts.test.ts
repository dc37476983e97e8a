import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/config.ts';
import { promptsOf } from './prompts.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ym-prompts-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function prompts(text: string) {
  const readFile = (path: string): string | undefined =>
    path.endsWith('yardmaster.yaml') ? text : undefined;
  const config = loadConfig({ root, env: {}, flags: {}, readFile });
  if (!config.ok) throw new Error(JSON.stringify(config.failure));
  return promptsOf(config.value, root);
}

describe('the prompts of an agent', () => {
  it('are those for all, unless it has its own', () => {
    writeFileSync(join(root, 'all.md'), 'Be kind.\n');
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs', 'own.md'), 'Work on {{task.id}}.\n');
    const found = prompts('prompts: all.md\nagents: { a: { use: codex, prompts: [docs/own.md] } }');
    if (!found.ok) throw new Error(JSON.stringify(found.failure));
    const files = (agent: string): string[] => found.value(agent).map(({ file }) => file);
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
});
