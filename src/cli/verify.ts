import { unreachable } from '../model/failure.ts';
import { explain } from '../report/explain/explain.ts';
import { span } from '../report/format/time.ts';
import { openProject } from '../wire/project.ts';
import { verifyTarget } from '../wire/verify.ts';
import { runConfig } from './judged.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';
import { complain } from './trouble.ts';

/** The gate on the target as it is now. A red target is exit status 5, one that could not be judged is 3, an end from outside is 4. */
export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const config = await runConfig(call, project.value, {});
  if (!config.ok) return complain(config.failure);
  const judged = await verifyTarget(project.value, config.value);
  await project.value.git.close();
  if (!judged.ok) {
    if (judged.failure.kind !== 'interrupted') return complain([judged.failure]);
    process.stderr.write(
      `ym: Interrupted by ${judged.failure.by}. The target was not judged, and nothing is left of the try.\n`,
    );
    return 4;
  }
  const { verdict, branch, commit } = judged.value;
  const screen = screenOf(call);
  if (call.options.flag('json')) screen.json({ branch, commit, verdict });
  switch (verdict.id) {
    case 'passed':
      if (!call.options.flag('json')) {
        screen.lines([`${branch} at ${commit.slice(0, 10)} is green (${span(verdict.ms)})`]);
      }
      return 0;
    case 'failed': {
      const { what, output = [] } = explain(verdict.failure);
      const log = 'log' in verdict.failure ? [`Whole output: ${verdict.failure.log}`] : [];
      if (!call.options.flag('json')) {
        const red = `${branch} at ${commit.slice(0, 10)} is red. ${what}`;
        screen.lines([red, ...output.map((line) => `  ${line}`), ...log]);
      }
      return 5;
    }
    case 'not-run':
      return complain([verdict.failure]);
    default:
      unreachable(verdict);
  }
}
