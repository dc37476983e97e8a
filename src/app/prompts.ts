import { readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { profilesOf } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import {
  loadTemplates,
  outside,
  promptFileBytes,
  type ReadPromptFile,
} from '../prompt/prompt-file.ts';
import type { Template } from '../prompt/template.ts';

/**
 * The user's prompt files for an agent; none for an unknown one. A review gets only those of the agent's profile, since
 * the project's files are written for working agents.
 */
export type Templates = (agent: string, purpose?: 'review') => readonly Template[];

/** Reads the prompt files of every agent, and returns all problems found in them. */
export function promptsOf(config: Config, root: string): Result<Templates, readonly Failure[]> {
  const templates = new Map<string, readonly Template[]>();
  const failures = new Map<string, Failure>();
  for (const [name, { prompts = config.prompts }] of profilesOf(config)) {
    const loaded = loadTemplates(prompts, readerIn(root));
    if (loaded.ok) templates.set(name, loaded.value);
    // Several agents may share a file; its problems are reported once.
    else for (const failure of loaded.failure) failures.set(JSON.stringify(failure), failure);
  }
  if (failures.size > 0) return fail([...failures.values()]);
  const profiles = profilesOf(config);
  return ok((agent, purpose) => {
    if (purpose === 'review' && profiles.get(agent)?.prompts === undefined) return [];
    return templates.get(agent) ?? [];
  });
}

function readerIn(root: string): ReadPromptFile {
  return (file, isIncluded) => {
    try {
      return textOf(resolve(root, file), isIncluded ? root : undefined);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      return { problem: `cannot be read (${String(error.code)})` };
    }
  };
}

/** `within` is the folder that must contain the file, after resolving links. */
function textOf(file: string, within: string | undefined): ReturnType<ReadPromptFile> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) return undefined;
  const isInside =
    within === undefined || realpathSync(file).startsWith(`${realpathSync(within)}${sep}`);
  if (!isInside) return { problem: outside };
  if (found.size > promptFileBytes) {
    return { problem: `has more than ${promptFileBytes} bytes` };
  }
  const bytes = readFileSync(file);
  return bytes.includes(0) ? { problem: 'is not text: it has a NUL byte' } : bytes.toString('utf8');
}
