import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectConfig } from '../app/config.ts';
import { type DaemonClient, daemonClient } from '../daemon/client.ts';
import { type DaemonPlace, daemonPlace } from '../daemon/place.ts';
import { startDaemon } from '../daemon/start.ts';
import { type Unit, unitFor, unitNotes } from '../daemon/unit.ts';
import type { DaemonStatus } from '../model/daemon.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { daemonLines } from '../report/daemon/status.ts';
import { findPlace, here } from '../wire/place.ts';
import { version } from '../wire/version.ts';
import { folderOf, type Outcome } from './open.ts';
import { printLines, printText } from './output.ts';
import type { Call } from './parse.ts';
import { complain, confirm, print, warn } from './screen.ts';

interface Context {
  readonly call: Call;
  readonly place: DaemonPlace;
  readonly client: DaemonClient;
}

/** The daemon: starts and stops it, and shows what it does. */
export async function run(call: Call): Promise<number> {
  const place = daemonPlace(process.env);
  const client = daemonClient(place.socket, version());
  const action = call.args[0] as keyof typeof actions;
  const done = await actions[action]({ call, place, client });
  if (done.ok) return done.value;
  return complain('kind' in done.failure ? [done.failure] : done.failure);
}

const actions = { status, start, stop, reload, logs, serve, install, uninstall } as const;

const notRunning = usage('no daemon is running', 'Start it with `ym daemon start`.');

/** The daemon's state; a failure if there is no daemon. */
async function running({ client }: Context): Promise<Result<DaemonStatus>> {
  const status = await client.ask({ ask: 'status' });
  if (!status.ok) return status;
  return status.value === undefined ? notRunning : ok(status.value);
}

async function status(context: Context): Promise<Outcome> {
  const found = await context.client.ask({ ask: 'status' });
  if (!found.ok) return found;
  const { value } = found;
  if (value === undefined) {
    const none = 'No daemon is running. `ym daemon start` starts it.';
    return print(context.call, { running: false }, () => [none]);
  }
  const { answer: _answer, ...rest } = value;
  return print(context.call, { running: true, ...rest }, (screen) =>
    daemonLines(value, Date.now(), screen.style, screen.width),
  );
}

/** Starts the daemon unless it runs, and lets it follow the schedules of this project. */
async function start(context: Context): Promise<Outcome> {
  const { call, client, place } = context;
  const before = await client.ask({ ask: 'status' });
  if (!before.ok) return before;
  if (before.value === undefined) {
    const started = await startDaemon(place, () => client.ask({ ask: 'status' }));
    if (!started.ok) return started;
  }
  const project = findPlace(folderOf(call));
  const enrolled = project && (await client.ask({ ask: 'enroll', root: project.root }));
  if (enrolled !== undefined && !enrolled.ok) return enrolled;
  const now = await running(context);
  if (!now.ok) return now;
  const what =
    before.value === undefined ? 'The daemon has started' : 'The daemon is already running';
  const { pid } = now.value.owner;
  return confirm(call, [`${what} (process ${pid}). \`ym run\` hands its runs to it.`], { pid });
}

async function stop(context: Context): Promise<Outcome> {
  const { call, client } = context;
  const how = call.options.flag('now') ? 'now' : 'finish';
  const before = await running(context);
  if (!before.ok) return before;
  const asked = await client.ask({ ask: 'stop', how });
  if (!asked.ok) return asked;
  const runs = before.value.runs.length;
  if (runs > 0 && how === 'finish') {
    confirm(call, ['Agents finish their turns; `ym daemon stop --now` stops them at once.']);
  }
  while (here.isAlive(before.value.owner)) await sleep(limits.followMs);
  const rest = runs === 0 ? '' : ' Runs that have not ended go on with `ym daemon start`.';
  return confirm(call, [`The daemon has stopped.${rest}`]);
}

async function reload({ call, client }: Context): Promise<Outcome> {
  const done = await client.ask({ ask: 'reload' });
  if (!done.ok) return done;
  if (done.value === undefined) return notRunning;
  const { changes, problems } = done.value;
  const read = problems.length > 0 ? '' : 'Config and schedules were read again. ';
  const unchanged = `${read}No value that the daemon or a run under way uses has changed.`;
  confirm(call, changes.length === 0 ? [unchanged] : changes, { changes });
  return problems.length > 0 ? fail(problems) : ok(0);
}

async function logs({ call, place }: Context): Promise<Outcome> {
  if (!existsSync(place.log))
    return usage('there is no log of a daemon yet', 'Start one with `ym daemon start`.');
  let shown = 0;
  const more = (): void => {
    const text = readFileSync(place.log, 'utf8');
    if (text.length < shown) shown = 0;
    const end = text.lastIndexOf('\n') + 1;
    if (end > shown) printLines(text.slice(shown, end).trimEnd().split('\n').slice(-logLines));
    shown = Math.max(shown, end);
  };
  more();
  if (!call.options.flag('follow')) return ok(0);
  const { interruptedBySignals } = await import('./signals.ts');
  const { signal, release } = interruptedBySignals();
  while (!signal.aborted) {
    await sleep(limits.refreshMs, undefined, { signal }).catch(() => undefined);
    more();
  }
  release();
  return ok(0);
}

const logLines = 200;

/** The daemon itself, in this process. */
async function serve({ call, place }: Context): Promise<Outcome> {
  const { serveDaemon } = await import('../daemon/serve.ts');
  const show = (line: string): void => (call.global.quiet ? undefined : printLines([line]));
  const serving = await serveDaemon(place, version(), show);
  if (!serving.ok) return serving;
  const { daemon, close } = serving.value;
  const finish = (): void => daemon.stop('finish');
  const now = (): void => daemon.stop('now');
  const again = (): void => void daemon.answer({ ask: 'reload' });
  let asked = 0;
  const end = (): void => {
    asked += 1;
    if (asked === 1) finish();
    else now();
  };
  const handlers = { SIGINT: end, SIGTERM: end, SIGHUP: again } as const;
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
  await daemon.ended;
  for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
  await close();
  return ok(0);
}

async function ownUnit({ place }: Context): Promise<Result<Unit, readonly Failure[]>> {
  const config = projectConfig({ root: place.dir, env: process.env });
  if (!config.ok) return config;
  const program = [process.execPath, process.argv[1] ?? 'ym'];
  const { drainMs } = config.value.daemon;
  return ok(unitFor({ platform: process.platform, program, env: process.env, drainMs }));
}

/** Writes the file that lets the system start the daemon at login. */
async function install(context: Context): Promise<Outcome> {
  const unit = await ownUnit(context);
  if (!unit.ok) return unit;
  const { file, text, enable } = unit.value;
  warn(unitNotes(process.env));
  if (context.call.options.flag('print')) {
    printText(text);
    return ok(0);
  }
  mkdirSync(dirname(file), { recursive: true });
  await here.writeFile(file, text);
  const line = `Wrote ${file}. Start the daemon now and at every login with \`${enable}\`.`;
  return confirm(context.call, [line], { file });
}

async function uninstall(context: Context): Promise<Outcome> {
  const unit = await ownUnit(context);
  if (!unit.ok) return unit;
  const { file, disable } = unit.value;
  if (!existsSync(file)) {
    return usage(`there is no ${file}`, 'Nothing is installed; `ym daemon stop` ends a daemon.');
  }
  rmSync(file);
  const line = `Removed ${file}. If the system started the daemon, end it with \`${disable}\`.`;
  return confirm(context.call, [line], { file });
}
