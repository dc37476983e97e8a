import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

/** Known coding agents, by the value of `use:` in a profile. */
export const harnesses = { claude, codex, opencode, gemini };
