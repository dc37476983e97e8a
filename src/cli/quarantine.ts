import { type CheckInQuarantine, checksInQuarantine } from '../gate/flaky.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Store } from '../record/store.ts';
import { isoTime } from '../report/format/time.ts';
import { utcMinute } from '../report/view/quarantined-check.ts';
import type { Finding } from '../wire/examine.ts';
import { filesAt, findGate } from '../wire/gate.ts';
import { judgedConfig } from '../wire/judge.ts';
import { openProject, openStore, type Project } from '../wire/project.ts';
import { projectConfig } from '../wire/project-config.ts';
import { findTarget } from '../wire/target.ts';
import { flakesLately, isAnyBeyond } from './flakes.ts';

/** The checks that do not count just now: those of the gate, and those that tasks ask for. */
export async function quarantinedNow(
  store: Store,
  gate: () => Promise<readonly string[]>,
  now: number,
): Promise<Result<readonly CheckInQuarantine[]>> {
  const flakes = await flakesLately(store, now);
  if (!flakes.ok) return flakes;
  if (!isAnyBeyond(flakes.value)) return ok([]);
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const checks = tasks.value.flatMap(({ task }) => task.checks);
  return ok(checksInQuarantine([...(await gate()), ...checks], flakes.value, now));
}

/** Each check that does not count just now, and until when. What keeps them from being known is found by others. */
export async function quarantineFindings(cwd: string, now: number): Promise<readonly Finding[]> {
  const project = await openProject(cwd);
  if (!project.ok) return [];
  const store = await openStore(project.value, 'read');
  const gate = () => gateCommands(project.value);
  const found = store.ok ? await quarantinedNow(store.value, gate, now) : store;
  if (store.ok) await store.value.close();
  await project.value.git.close();
  return (found.ok ? found.value : []).map(({ command, until }) => ({
    name: 'flaky',
    says: `"${command}" was red and then green on the same tree too often; it gets more tries until ${utcMinute(isoTime(until))}`,
    harmless: true,
  }));
}

/** As a run would find them. */
async function gateCommands(project: Project): Promise<readonly string[]> {
  const read = (judge?: Parameters<typeof projectConfig>[4]) =>
    projectConfig(project, {}, process.env, undefined, judge);
  const config = await judgedConfig(project, read);
  if (!config.ok) return [];
  const target = await findTarget(project, config.value.config);
  if (!target.ok) return [];
  const files = await filesAt(project.git, target.value.commit, project.root);
  const gate = findGate(config.value.config, project.root, files.ok ? files.value : undefined);
  return gate.ok ? gate.value.gate.commands : [];
}
