import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { harnessesOnPath } from './on-path.ts';

let bin: string;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'ym-bin-'));
});

afterEach(() => {
  rmSync(bin, { recursive: true, force: true });
});

it('finds the coding agents that can be started, in the order they are chosen', () => {
  for (const name of ['gemini', 'claude', 'codex', 'other']) {
    writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, name), name === 'codex' ? 0o644 : 0o755);
  }
  expect(harnessesOnPath(bin)).toEqual(['claude', 'gemini']);
  expect(harnessesOnPath(join(bin, 'none'))).toEqual([]);
});
