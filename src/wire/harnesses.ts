import { claude } from '../agent/claude.ts';
import { codex } from '../agent/codex.ts';
import { gemini } from '../agent/gemini.ts';
import type { Harness } from '../agent/harness.ts';
import { opencode } from '../agent/opencode.ts';
import type { HarnessName } from '../config/profile.ts';

/** Known coding agents, by the value of `use:` in a profile. */
export const harnesses: Readonly<Record<HarnessName, Harness>> = {
  claude,
  codex,
  opencode,
  gemini,
};
