import { checkResume, readResume, resumeRun } from '../app/resume.ts';
import { openProject } from '../wire/project.ts';
import { drive } from './drive.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { sharedFlags } from './run-flags.ts';
import { complain, warn } from './screen.ts';

/** Continues a run that was stopped or killed, with its own settings; the budget starts counting again. */
export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const request = await readResume(project.value, sharedFlags(call), call.args[0]);
  if (!request.ok) return complain(request.failure);
  if (!call.global.quiet) warn(request.value.warnings);
  const ready = await checkResume(request.value);
  if (!ready.ok) return complain(ready.failure);
  const retry = call.options.flag('retry-failed');
  return drive(call, ready.value, await resumeRun(ready.value, request.value.record, { retry }));
}
