import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLive } from '../model/attempt.ts';
import type { Event } from '../model/event.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { stateOf } from '../plan/record.ts';
import { unpackFolder } from '../record/old-files.ts';
import { attemptFolder, runsDir } from '../wire/files.ts';
import { projectRedactor } from '../wire/project-config.ts';
import type { Redactor } from '../wire/secrets.ts';
import { isStreamFile } from '../wire/transcript.ts';
import { trainEvents } from './events.ts';
import { asText, Collected, Rendered, Shown, startOf } from './log-file.ts';
import { type Opened, taskNamed, withStore } from './open.ts';
import {
  gateOf,
  inOrder,
  judgementsOf,
  printedFiles,
  type Shows,
  type Wish,
} from './output-files.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

const bytesDefault = 64 * 1024;
const followMs = 200;

/** What agents and the gate of an attempt printed, straight from the files the child wrote itself. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ project, store }) => {
    const id = call.args[0] ?? '';
    const wish = wishOf(call);
    if (!wish.ok) return wish;
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const events = await store.events({ task: id });
    if (!events.ok) return events;
    const asked = call.options.number('attempt');
    const newest = asked ?? record.value.attempts;
    const printed = await printedBy({ project, store }, events.value, id, newest, wish.value);
    if (!printed.ok) return printed;
    let { files } = printed.value;
    let attempt = newest;
    // A verdict that was known already has printed nothing: what it rests on is with an earlier attempt.
    const goesBack = asked === undefined && wish.value.shows === 'gate';
    while (goesBack && files.length === 0 && attempt > 1) {
      attempt -= 1;
      const before = await printedBy({ project, store }, events.value, id, attempt, wish.value);
      if (!before.ok) return before;
      files = before.value.files;
    }
    if (files.length === 0) {
      const problem =
        newest === 0 ? `no attempt at "${id}" has started yet` : printed.value.nothing;
      return fail({ kind: 'usage', problem, remedy: `See \`ym why ${id}\`.` });
    }
    if (attempt !== newest && !call.global.quiet)
      remark(`no gate of attempt ${newest} has printed anything; this is attempt ${attempt}`);
    const raw = call.options.flag('raw') || wish.value.shows === 'gate';
    const follows = call.options.flag('follow') && !call.global.quiet;
    // Who looks for the agent of a task, and sees what a reviewer said, is told so.
    const surprising = isSurprising(wish.value, files) && !call.global.quiet;
    if (follows || surprising) remark(`${id}, attempt ${attempt}, ${namesOf(files)}`);
    const redact = projectRedactor(project);
    const shown = files.map((file) => shownOf(call, file, raw, redact));
    for (const file of shown) file.more();
    if (call.options.flag('json')) {
      for (const file of shown) file.end();
      const values = shown.flatMap(({ sink }) => (sink instanceof Collected ? [sink.value()] : []));
      screenOf(call).json({ schema: 1, task: id, attempt, files: values });
      return ok(0);
    }
    if (!call.options.flag('follow')) {
      for (const file of shown) file.end();
      return ok(0);
    }
    for (;;) {
      for (const file of shown) file.more();
      const now = await store.task(id);
      if (!now.ok) return now;
      const live = now.value?.attempt?.number === attempt && isLive(now.value.attempt.state);
      if (!live) {
        for (const file of shown) file.end();
        const state = now.value === undefined ? 'gone' : stateOf(now.value);
        if (follows) remark(`attempt ${attempt} is over; ${id} is ${state} now`);
        return ok(0);
      }
      await sleep(followMs);
    }
  });
}

/** The files that hold what is wanted of an attempt; `nothing` says why there are none. */
async function printedBy(
  { project, store }: Pick<Opened, 'project' | 'store'>,
  events: readonly Event[],
  id: string,
  attempt: number,
  wish: Wish,
): Promise<Result<{ readonly files: readonly string[]; readonly nothing: string }>> {
  const own = events.filter((event) => 'attempt' in event && event.attempt === attempt);
  const run = own.findLast((event) => event.type === 'attempt-started');
  if (run?.type !== 'attempt-started') return ok({ files: [], nothing: nothingOf[wish.shows] });
  const dir = attemptFolder(project, run.run, id, attempt);
  const unpacked = await unpackFolder(dir);
  if (!unpacked.ok) return unpacked;
  const found = filesOf(dir, own, wish);
  const files =
    wish.shows === 'gate'
      ? await judgedOnTrain({ project, store }, run, own, wish, found)
      : ok(found);
  if (!files.ok) return files;
  const isPruned = !existsSync(join(runsDir(project), run.run));
  const nothing = isPruned ? `the files of run ${run.run} were pruned` : nothingOf[wish.shows];
  return ok({ files: files.value, nothing });
}

function shownOf(call: Call, file: string, raw: boolean, redact: Redactor): Shown {
  const { options } = call;
  const stream = !raw && isStreamFile(file);
  const plain = stream ? new Rendered(options.flag('follow')) : asText;
  const sink = options.flag('json') ? new Collected(basename(file), stream) : plain;
  // A stream is shown from its beginning: half of a turn cannot be understood.
  const limit = options.number('bytes') ?? (sink === asText ? bytesDefault : 0);
  return new Shown(file, startOf(file, limit), redact, sink);
}

/** Beside the log, not in it. */
function remark(text: string): void {
  process.stderr.write(`ym: ${text}\n`);
}

/** `turn 2`, from the names of its files. */
function namesOf(files: readonly string[]): string {
  const words = files.map((file) => basename(file).replace(/^(\w+)-(\d+).*$/, '$1 $2'));
  return [...new Set(words)].join(', ');
}

const nothingOf: Readonly<Record<Shows, string>> = {
  newest: 'nothing was printed yet',
  gate: 'no gate of it has printed anything yet',
  review: 'no reviewer of it has printed anything yet',
  critique: 'nobody has printed anything about what it asks for yet',
};

function wishOf({ options }: Call): Result<Wish> {
  const asked = (['gate', 'review', 'critique'] as const).filter((kind) => options.flag(kind));
  if (asked.length > 1) {
    const problem = `--${asked.join(' and --')} cannot be shown at once`;
    return fail({ kind: 'usage', problem, remedy: 'Ask for one of them.' });
  }
  if (options.flag('json') && options.flag('follow')) {
    const problem = '--json and --follow cannot be used at once';
    return fail({ kind: 'usage', problem, remedy: 'Follow with `ym log TASK -f --raw`.' });
  }
  const turn = options.number('turn');
  return ok({ shows: asked[0] ?? 'newest', ...(turn === undefined ? {} : { turn }) });
}

function isSurprising({ shows }: Wish, files: readonly string[]): boolean {
  return shows === 'newest' && !files.some((file) => basename(file).startsWith('turn-'));
}

function filesOf(dir: string, events: readonly Event[], wish: Wish): readonly string[] {
  if (!existsSync(dir)) return [];
  return printedFiles(readdirSync(dir), events, wish).map((name) => join(dir, name));
}

/** What the gate of the train printed about the attempt's work, where that was later than what its own gate did. */
async function judgedOnTrain(
  { project, store }: Pick<Opened, 'project' | 'store'>,
  { run, id, attempt }: Extract<Event, { type: 'attempt-started' }>,
  own: readonly Event[],
  { turn }: Wish,
  found: readonly string[],
): Promise<Result<readonly string[]>> {
  const train = await trainEvents(store, run);
  if (!train.ok) return train;
  const turns = own.filter(({ type }) => type === 'turn-started');
  const events = [...turns, ...train.value].sort((a, b) => a.seq - b.seq);
  const least = turn ?? Math.max(0, ...found.map(gateOf));
  const later = judgementsOf(events, id, attempt).filter((one) =>
    turn === undefined ? one.turn >= least : one.turn === turn,
  );
  for (const { candidate, count } of later.toReversed()) {
    const dir = join(runsDir(project), run, 'candidates', `${candidate}-${count}`);
    const unpacked = await unpackFolder(dir);
    if (!unpacked.ok) return unpacked;
    const names = existsSync(dir) ? readdirSync(dir) : [];
    const printed = names.filter((name) => /^gate-.*\.(?:out|err)$/.test(name));
    // A verdict that was known already has printed nothing.
    if (printed.length > 0) return ok(inOrder(printed).map((name) => join(dir, name)));
  }
  return ok(found);
}
