import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { profilesOf } from '../config/crew.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { loadTemplates } from '../prompt/promptfile.ts';
import type { Template } from '../prompt/template.ts';

/** The user's own prompt files for an agent; none for one that nobody knows. */
export type Templates = (agent: string) => readonly Template[];

/** Reads the prompt files of every agent, and tells all that is wrong in any of them. */
export function promptsOf(config: Config, root: string): Result<Templates, readonly Failure[]> {
  const templates = new Map<string, readonly Template[]>();
  const failures = new Map<string, Failure>();
  for (const [name, { prompts = config.prompts }] of profilesOf(config)) {
    const loaded = loadTemplates(prompts, (file) => textOf(resolve(root, file)));
    if (loaded.ok) templates.set(name, loaded.value);
    // Several agents may have one file; what is wrong in it is told once.
    else for (const failure of loaded.failure) failures.set(JSON.stringify(failure), failure);
  }
  if (failures.size > 0) return fail([...failures.values()]);
  return ok((agent) => templates.get(agent) ?? []);
}

function textOf(file: string): string | undefined {
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile ? readFileSync(file, 'utf8') : undefined;
}
