import { diagnose, diagnoseMachine } from '../app/doctor.ts';
import { repairStore } from '../app/repair.ts';
import { settled } from '../model/trouble.ts';
import { explain } from '../report/explain/explain.ts';
import { doctorText, withRemedy } from '../report/run/doctor.ts';
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
  const project = await settled(openProject(cwd));
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
    agent,
    model,
    harmless: harmless || undefined,
    failure: trouble && withRemedy(trouble, remedy),
  }));
  print(call, { ok: bad.length === 0, checks }, ({ style, textWidth }) =>
    doctorText(findings, style, textWidth),
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
