import type { Project } from '../app/ports.ts';
import { usableSandbox, withoutSandbox } from '../app/sandbox.ts';
import { runConfig } from '../app/target.ts';
import { targetValues, verifyTarget, verifyValues } from '../app/verify.ts';
import type { Failure } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import type { Verdict } from '../model/verdict.ts';
import { explain } from '../report/explain/explain.ts';
import { counted } from '../report/format/amount.ts';
import { span } from '../report/format/time.ts';
import { openProject } from '../wire/project.ts';
import { folderOf } from './open.ts';
import { noteDetail } from './output.ts';
import type { Call } from './parse.ts';
import { complain, print, screenOf, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';

/**
 * Runs the gate on the target as it is now, or as the landings of a run left it. Exit status 5 if the target is red, 3
 * if the gate could not run, 4 if it was interrupted.
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
  const given = { config: settings, sandbox: sandbox.value, onCommand: noteDetail };
  const name = call.options.text('history');
  const code =
    name === undefined
      ? await verifyTip(call, project.value, given, interruption.signal)
      : await verifyHistory(call, project.value, given, { name, signal: interruption.signal });
  interruption.release();
  await project.value.git.close();
  return code;
}

type Settings = Parameters<typeof verifyTarget>[1];

/** Runs the gate again on each value that the landings of a run gave the target. */
async function verifyHistory(
  call: Call,
  project: Project,
  settings: Settings,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<number> {
  const store = await project.openStore('read');
  if (!store.ok) return complain([store.failure]);
  const found = await targetValues(store.value, name);
  await store.value.close();
  if (!found.ok) return complain([found.failure]);
  const { run, values } = found.value;
  const isJson = call.options.flag('json');
  const screen = screenOf(call);
  const judged: object[] = [];
  let green = 0;
  for await (const one of verifyValues(project, settings, values, signal)) {
    if (!one.ok) return withoutVerdict(one.failure);
    const { branch, commit, tasks, verdict } = one.value;
    if (verdict.id === 'not-run') return complain([verdict.failure]);
    if (verdict.id === 'passed') green += 1;
    judged.push({ commit, tasks, verdict });
    if (isJson) continue;
    const lines = verdictLines(
      `${branch} at ${commit.slice(0, 10)} (${tasks.join(', ')})`,
      verdict,
    );
    screen.lines([`${judged.length} of ${values.length}  ${lines[0]}`, ...lines.slice(1)]);
  }
  const all = values.length;
  if (isJson) screen.json({ run, green, values: judged });
  else
    screen.lines([
      `Of the ${counted(all, 'value')} of the target in run ${run}, ${green} are green.`,
    ]);
  return green === all ? 0 : 5;
}

async function verifyTip(
  call: Call,
  project: Project,
  settings: Settings,
  signal: AbortSignal,
): Promise<number> {
  const verified = await settled(verifyTarget(project, settings, signal));
  if (!verified.ok) return withoutVerdict(verified.failure);
  const { verdict, branch, commit } = verified.value;
  const target = `${branch} at ${commit.slice(0, 10)}`;
  const value = { branch, commit, verdict };
  if (verdict.id === 'not-run') {
    if (call.options.flag('json')) screenOf(call).json(value);
    return complain([verdict.failure]);
  }
  print(call, value, () => [...verdictLines(target, verdict), ...advice(verdict)]);
  return verdict.id === 'passed' ? 0 : 5;
}

function verdictLines(
  target: string,
  verdict: Exclude<Verdict, { readonly id: 'not-run' }>,
): readonly string[] {
  if (verdict.id === 'passed') return [`${target} is green (${span(verdict.ms)})`];
  const { what, output = [] } = explain(verdict.failure);
  const log = 'log' in verdict.failure ? [`Full output: ${verdict.failure.log}`] : [];
  return [`${target} is red. ${what}`, ...output.map((line) => `  ${line}`), ...log];
}

function advice({ id }: Verdict): readonly string[] {
  if (id === 'passed') return [];
  const choose = '`ym config set gate.commands \'["…"]\'`';
  return [
    `Fix it, or choose other commands with ${choose}; commit, then type \`ym verify\` again.`,
  ];
}

/** Says why there is no verdict, or none about the rest. */
async function withoutVerdict(failure: Failure): Promise<number> {
  if (failure.kind === 'interrupted') {
    warn([`Interrupted by ${failure.by}. There is no verdict, and nothing is left behind.`]);
    return 4;
  }
  if (failure.kind !== 'no-space') return complain([failure]);
  const { what } = explain(failure);
  warn([`There is no verdict. ${what} Free some space, then type \`ym verify\` again.`]);
  return 3;
}
