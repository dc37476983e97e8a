import { diagnose, diagnoseMachine, type Finding } from '../app/doctor.ts';
import { repairStore } from '../app/repair.ts';
import type { Failure } from '../model/failure.ts';
import { given } from '../model/given.ts';
import { explain, oneLine } from '../report/explain/explain.ts';
import type { Style } from '../report/format/style.ts';
import { repairText } from '../report/run/repair.ts';
import { openProject, probe } from '../wire/project.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, print } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/**
 * Checks everything a run needs, with a fix for each problem. Exit status 3 if something is missing, 2 if only the
 * config is wrong.
 */
export async function run(call: Call): Promise<number> {
  if (call.options.flag('repair')) return repair(call);
  const cwd = folderOf(call);
  const machine = await diagnoseMachine(probe, cwd, process.versions.node);
  const project = await openProject(cwd);
  const interruption = call.options.flag('models') ? interruptedBySignals() : undefined;
  const found = project.ok
    ? await diagnose(project.value, cwd, interruption?.signal)
    : [{ name: 'project', text: '', trouble: project.failure }];
  interruption?.release();
  if (project.ok) await project.value.git.close();
  if (interruption?.signal.aborted) return 4;
  const findings = [...machine, ...found];
  const bad = findings.filter(({ trouble, harmless }) => trouble !== undefined && !harmless);
  const checks = findings.map(({ name, text, trouble, remedy, harmless, agent, model }) => ({
    name,
    text,
    ...given({
      agent,
      model,
      harmless: harmless || undefined,
      failure: trouble && withRemedy(trouble, remedy),
    }),
  }));
  print(call, { ok: bad.length === 0, checks }, ({ style, width }) =>
    findings.flatMap((finding) => linesOf(finding, style, width)),
  );
  if (bad.length === 0) return 0;
  const isUsage = bad.every(({ trouble }) => trouble !== undefined && explain(trouble).exit === 2);
  return isUsage ? 2 : 3;
}

async function repair(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const done = await repairStore(project.value);
  await project.value.git.close();
  if (!done.ok) return complain([done.failure]);
  print(call, done.value, ({ width }) => repairText(done.value, width));
  return 0;
}

function linesOf(
  { name, text, trouble, remedy, harmless }: Finding,
  style: Style,
  width: number,
): string[] {
  const label = name.padEnd(14);
  if (trouble === undefined) {
    return [`${harmless === true ? style.dim('·') : style.green('✓')} ${label} ${text}`];
  }
  const sign = harmless === true ? style.yellow('!') : style.red('✗');
  const found = text === '' ? [] : [text];
  const [first = '', ...rest] = [
    ...found,
    oneLine(trouble, Math.max(20, width - 18)),
    withRemedy(trouble, remedy).do,
  ];
  return [`${sign} ${label} ${first}`, ...rest.map((line) => `                 ${line}`)];
}

/** The explanation of a failure, with a more specific remedy if there is one. */
function withRemedy(trouble: Failure, remedy: string | undefined): ReturnType<typeof explain> {
  const explained = explain(trouble);
  return remedy === undefined ? explained : { ...explained, do: remedy };
}
