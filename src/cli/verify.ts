import { usableSandbox, withoutSandbox } from '../app/sandbox.ts';
import { runConfig } from '../app/target.ts';
import { verifyTarget } from '../app/verify.ts';
import { unreachable } from '../model/failure.ts';
import { explain } from '../report/explain/explain.ts';
import { span } from '../report/format/time.ts';
import { openProject } from '../wire/project.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, print, screenOf, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/**
 * Runs the gate on the target as it is now. Exit status 5 if the target is red, 3 if the gate could not run, 4 if it was
 * interrupted.
 */
export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const config = await runConfig(project.value);
  if (!config.ok) return complain(config.failure);
  if (!call.global.quiet) warn(config.value.warnings);
  const settings = config.value.config;
  const sandbox = await usableSandbox(project.value, settings);
  if (!sandbox.ok) return complain([sandbox.failure]);
  warn(withoutSandbox(sandbox.value, 'The gate runs as you.'));
  const interruption = interruptedBySignals();
  const given = { config: settings, sandbox: sandbox.value };
  const verified = await verifyTarget(project.value, given, interruption.signal);
  interruption.release();
  await project.value.git.close();
  if (!verified.ok) {
    const { failure } = verified;
    if (failure.kind === 'interrupted') {
      warn([`Interrupted by ${failure.by}. There is no verdict, and nothing is left behind.`]);
      return 4;
    }
    if (failure.kind !== 'no-space') return complain([failure]);
    const { what } = explain(failure);
    warn([`There is no verdict. ${what} Free some space, then type \`ym verify\` again.`]);
    return 3;
  }
  const { verdict, branch, commit } = verified.value;
  const target = `${branch} at ${commit.slice(0, 10)}`;
  const value = { branch, commit, verdict };
  switch (verdict.id) {
    case 'passed':
      print(call, value, () => [`${target} is green (${span(verdict.ms)})`]);
      return 0;
    case 'failed': {
      const { what, output = [] } = explain(verdict.failure);
      const log = 'log' in verdict.failure ? [`Full output: ${verdict.failure.log}`] : [];
      print(call, value, () => [
        `${target} is red. ${what}`,
        ...output.map((line) => `  ${line}`),
        ...log,
      ]);
      return 5;
    }
    case 'not-run':
      if (call.options.flag('json')) screenOf(call).json(value);
      return complain([verdict.failure]);
    default:
      return unreachable(verdict);
  }
}
