import { notices } from '../app/notices.ts';
import type { Project } from '../app/ports.ts';
import type { Preflight } from '../app/preflight.ts';
import { checkResume, readResume, resumeRun } from '../app/resume.ts';
import { withoutSandbox } from '../app/sandbox.ts';
import { type Standby, standBy } from '../app/standby.ts';
import { limits } from '../model/limits.ts';
import { hasEnded, type LeasedRun, type RunRecord } from '../model/run-record.ts';
import { caughtUpText } from '../report/run/caught-up.ts';
import { openProject } from '../wire/project.ts';
import { drive, exits, isAttended } from './drive.ts';
import { gateModels } from './model-probe.ts';
import { folderOf } from './open.ts';
import { printJson } from './output.ts';
import type { Call } from './parse.ts';
import { sharedFlags } from './run.ts';
import { complain, confirm, warn } from './screen.ts';
import { interruptedBySignals } from './signals.ts';
import { daemonFor, handOver, resumeWords } from './submit.ts';

/** Continues a run that was stopped or killed, with its own settings; the budget starts counting again. */
export async function resume(call: Call): Promise<number> {
  if (call.options.flag('standby')) return resumeAfterDeath(call);
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const daemon = await daemonFor(call);
  if (!daemon.ok) return complain([daemon.failure]);
  const prepared = await prepareResume(call, project.value, call.args[0]);
  if (typeof prepared === 'number') return prepared;
  const { ready, record } = prepared;
  if (daemon.value !== undefined) {
    const words = resumeWords(call, record.id);
    return handOver(call, daemon.value, { ready, words, run: record.id });
  }
  const resumed = await resumeHere(call, prepared);
  return typeof resumed === 'number' ? resumed : drive(call, ready, resumed);
}

/** Waits until the process of a run is dead, and then drives the run here. If several wait, one of them takes over. */
async function resumeAfterDeath(call: Call): Promise<number> {
  if (call.options.flag('detach')) {
    const remedy = 'Leave one of them out. The daemon resumes its runs by itself.';
    return complain([{ kind: 'usage', problem: '--detach and --standby were both given', remedy }]);
  }
  let name = call.args[0];
  let wasOpen = false;
  let isTold = false;
  for (;;) {
    const project = await openProject(folderOf(call));
    if (!project.ok) return complain([project.failure]);
    const waited = await waitForRun(call, project.value, name, wasOpen);
    if (typeof waited === 'number') return waited;
    const prepared = await prepareResume(call, project.value, waited.run?.id ?? name);
    if (typeof prepared === 'number') return prepared;
    name = prepared.record.id;
    if (!isTold && !waited.hasWaited) {
      tell(call, 'free', { run: name }, `No process drives run ${name}; resuming it.`);
    }
    isTold = true;
    wasOpen = !hasEnded(waited.run ?? prepared.record);
    const resumed = await resumeHere(call, prepared, { wasOpen });
    if (typeof resumed === 'number') return resumed;
    const kind = resumed.ok ? undefined : resumed.failure[0]?.kind;
    const isDriven = kind === 'run-alive' || kind === 'run-starting';
    const isTaken = isDriven || (wasOpen && kind === 'nothing-to-resume');
    if (!isTaken) return drive(call, prepared.ready, resumed);
    await project.value.git.close();
    // That process may hold only a lock, for which `standBy` does not wait.
    await project.value.clock.sleep(limits.refreshMs);
  }
}

/** Waits while a process drives the run. Returns an exit status if there is nothing to resume afterwards. */
async function waitForRun(
  call: Call,
  project: Project,
  name: string | undefined,
  wasOpen: boolean,
): Promise<number | { readonly run?: RunRecord; readonly hasWaited: boolean }> {
  const { signal, release } = interruptedBySignals();
  let hasWaited = false;
  const onWait = ({ id, owner: { pid, host } }: LeasedRun): void => {
    hasWaited = true;
    const driver = `driven by process ${pid} on ${host}`;
    const line = `Waiting for run ${id}, ${driver}; Ctrl-C ends the wait.`;
    tell(call, 'waiting', { run: id, pid, host }, line);
  };
  const waited = await standBy(project, name, { left: signal, wasOpen, onWait });
  release();
  if (!waited.ok || waited.value.id !== 'free') await project.git.close();
  if (!waited.ok) return complain([waited.failure]);
  switch (waited.value.id) {
    case 'free':
      return { ...waited.value, hasWaited };
    case 'ended': {
      const { id } = waited.value.run;
      tell(call, 'ended', { run: id }, `Run ${id} has ended, so there is nothing to take over.`);
      return 0;
    }
    case 'left': {
      const { run } = waited.value;
      const which = run === undefined ? '; no run was resumed' : ` for run ${run}, which goes on`;
      tell(call, 'left', { run }, `No longer waiting${which}.`);
      return exits.stopped;
    }
  }
}

/** Prints a line about the wait; with `--json` an object, as the events of the run are printed. */
function tell(call: Call, state: Standby['id'] | 'waiting', facts: object, line: string): void {
  if (call.options.flag('json')) printJson(JSON.stringify({ type: 'standby', state, ...facts }));
  else confirm(call, [line]);
}

interface PreparedResume {
  readonly ready: Preflight;
  readonly record: LeasedRun;
}

/** Finds and checks the run to resume. Returns an exit status if it cannot be resumed. */
async function prepareResume(
  call: Call,
  project: Project,
  name: string | undefined,
): Promise<number | PreparedResume> {
  const request = await readResume(project, sharedFlags(call), name);
  if (!request.ok) return complain(request.failure);
  const { caughtUp } = request.value;
  if (caughtUp !== undefined) warn([caughtUpText(caughtUp)]);
  if (!call.global.quiet) {
    warn([...request.value.warnings, ...(await notices(project, folderOf(call)))]);
  }
  const ready = await checkResume(request.value);
  if (!ready.ok) return complain(ready.failure);
  warn(withoutSandbox(ready.value.sandbox));
  return { ready: ready.value, record: request.value.record };
}

async function resumeHere(
  call: Call,
  { ready, record }: PreparedResume,
  standby?: { readonly wasOpen: boolean },
): Promise<number | Awaited<ReturnType<typeof resumeRun>>> {
  const silent = await gateModels(call, ready);
  if (silent !== undefined) return silent;
  const retry = call.options.flag('retry-failed');
  return resumeRun(ready, record, { retry, attended: isAttended(call), standby });
}
