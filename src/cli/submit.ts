import { setTimeout as sleep } from 'node:timers/promises';
import { followHooks } from '../app/followed-hooks.ts';
import { FollowedRun } from '../app/followed-run.ts';
import type { Preflight } from '../app/preflight.ts';
import { checkIdle } from '../app/resume.ts';
import { originOf } from '../config/config.ts';
import { type DaemonClient, daemonClient } from '../daemon/client.ts';
import { daemonPlace } from '../daemon/place.ts';
import { startDaemon } from '../daemon/start.ts';
import type { SubmissionState, Wishes } from '../model/daemon.ts';
import { defined } from '../model/defined.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId, Scope } from '../model/run.ts';
import { version } from '../wire/version.ts';
import { drive } from './drive.ts';
import { folderOf } from './open.ts';
import { printErrors, printLines } from './output.ts';
import type { Call } from './parse.ts';
import { complain, confirm, warn } from './screen.ts';

/** The daemon that takes the runs of this call; undefined if this process drives them itself. */
export async function daemonFor(call: Call): Promise<Result<DaemonClient | undefined>> {
  const isDetached = call.options.flag('detach');
  if (call.options.flag('foreground')) {
    if (!isDetached) return ok(undefined);
    return usage('--detach and --foreground were both given', 'Leave one of them out.');
  }
  const place = daemonPlace(process.env);
  const client = daemonClient(place.socket, version());
  const status = await client.ask({ ask: 'status' });
  if (!status.ok || status.value !== undefined) return status.ok ? ok(client) : status;
  if (!isDetached) return ok(undefined);
  const started = await startDaemon(place, () => client.ask({ ask: 'status' }));
  if (!started.ok) return started;
  if (!call.options.flag('json')) {
    confirm(call, ['The daemon has started. It goes on after this run; `ym daemon stop` ends it.']);
  }
  return ok(client);
}

/** A checked run, and the command line that starts it. */
export interface Handover {
  readonly ready: Preflight;
  readonly words: readonly string[];
  /** Text of standard input, if a source is read from there. */
  readonly input?: string;
  /** The run to resume. */
  readonly run?: RunId;
  /** Called when the run has started. */
  onStart?(): void;
}

/** Hands a run to the daemon, and shows it until it ends or the user leaves. */
export async function handOver(
  call: Call,
  client: DaemonClient,
  { ready, words, input, run, onStart }: Handover,
): Promise<number> {
  const { project } = ready;
  const idle = run === undefined ? ok(undefined) : await checkIdle(project, run);
  if (!idle.ok) {
    await project.git.close();
    return complain([idle.failure]);
  }
  const hooks = await followHooks(project, ready.config, run);
  const followed = await FollowedRun.open(project, hooks, run);
  if (!followed.ok) return complain([followed.failure]);
  const submitted = await client.ask({
    ask: 'submit',
    root: project.root,
    words: ['-C', folderOf(call), ...words],
    wishes: wishesOf(ready),
    env: defined(process.env),
    input,
    resumes: run,
  });
  const number = submitted.ok ? submitted.value?.number : undefined;
  const state =
    submitted.ok && number !== undefined ? await begun(call, client, number) : lostOr(submitted);
  if (state.ok && state.value.id === 'running') onStart?.();
  if (!state.ok || state.value.id !== 'running' || call.options.flag('detach')) {
    await followed.value.close();
    return state.ok ? detached(call, state.value) : complain([state.failure]);
  }
  const isDriven = async (): Promise<boolean> => {
    const now = await client.ask({ ask: 'submission', number: number ?? 0 });
    return now.ok && now.value !== undefined && now.value.state.id !== 'ended';
  };
  return drive(call, ready, ok(followed.value.follow(state.value.run, isDriven)));
}

const lost = usage(
  'the daemon has ended meanwhile',
  'Start it again with `ym daemon start`: it goes on with what was handed to it.',
);
const lostOr = (result: Result<unknown>): Result<never> =>
  result.ok ? lost : fail(result.failure);

function wishesOf({ config, settings }: Preflight): Wishes {
  const isOwn = ['flag', 'environment'].includes(originOf(config, 'jobs').origin ?? '');
  return {
    jobs: settings.jobs,
    spawnRate: settings.spawnRate ?? limits.spawnRateDefault,
    priority: config.daemon.priority,
    ...(isOwn ? { hasOwnJobs: true } : {}),
  };
}

/** Waits until the run has started, or cannot. A detached call does not wait for a slot. */
async function begun(
  call: Call,
  client: DaemonClient,
  number: number,
): Promise<Result<SubmissionState>> {
  let isSaid = false;
  for (;;) {
    const asked = await client.ask({ ask: 'submission', number });
    if (!asked.ok || asked.value === undefined) return lostOr(asked);
    const { state } = asked.value;
    if (state.id !== 'queued' && state.id !== 'starting') return ok(state);
    if (state.id === 'queued') {
      if (call.options.flag('detach')) return ok(state);
      if (!isSaid) warn(['the run waits for a free slot of the daemon; see `ym daemon status`.']);
      isSaid = true;
    }
    await sleep(limits.followMs / 4);
  }
}

/** Prints what became of a run that this process does not show. */
function detached(call: Call, state: SubmissionState): number {
  switch (state.id) {
    case 'queued':
      confirm(
        call,
        ['The run waits for a free slot of the daemon; see `ym daemon status`.'],
        state,
      );
      return 0;
    case 'starting':
      return 0;
    case 'running': {
      const { run } = state;
      const line = `Run ${run} has started. \`ym watch\` shows it, \`ym stop\` ends it.`;
      confirm(call, [line], { run });
      return 0;
    }
    case 'elsewhere': {
      const { run, driver } = state;
      const line = `Run ${run} is driven by process ${driver.pid} on ${driver.host}. \`ym watch\` shows it.`;
      confirm(call, [line], { run });
      return 0;
    }
    case 'ended': {
      const { exit = 1, output } = state;
      const lines = output.trimEnd().split('\n');
      const messages = lines.filter((line) => line.startsWith('ym: '));
      if (exit !== 0) printErrors(messages.slice(-1));
      printLines(lines.filter((line) => line !== '' && !messages.includes(line)));
      return exit;
    }
  }
}

/** The command line of `ym run` for the daemon: what was asked here is not asked again. */
export function runWords(call: Call, scope: Scope): readonly string[] {
  const isNamed = call.args.length > 0;
  const words = call.options.words(new Set([...asked, ...(isNamed ? [] : scoping)]));
  return [
    'run',
    ...call.args,
    ...words,
    ...(isNamed ? [] : scopeWords(scope)),
    '--yes',
    '--skip-plan',
  ];
}

const asked = ['detach', 'foreground', 'plain', 'jobs', 'yes', 'force', 'skip-plan'];
const scoping = ['scope', 'only', 'epic'];

function scopeWords(scope: Scope): readonly string[] {
  switch (scope.kind) {
    case 'ready':
      return ['--scope=ready'];
    case 'only':
      return scope.tasks.map((id) => `--only=${id}`);
    case 'epics':
      return scope.epics.map((epic) => `--epic=${epic}`);
  }
}

/** The command line of `ym resume`. */
export function resumeWords(call: Call, run: RunId): readonly string[] {
  return ['resume', run, ...call.options.words(new Set(asked))];
}
