import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redactor } from '../app/config.ts';
import { projectRedactor } from '../app/config.ts';
import { taskNamed } from '../app/lookup.ts';
import type { Opened } from '../app/ports.ts';
import { attemptDir, runsDir } from '../files/layout.ts';
import { unpackFolder } from '../files/old-files.ts';
import { isLive } from '../model/attempt-state.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import type { AttemptRecord } from '../model/history.ts';
import { recordStateText } from '../report/view/state.ts';
import { isStreamFile } from '../wire/agent-output.ts';
import { asText, Collected, Rendered, Shown, startOf } from './log-file.ts';
import { withStore } from './open.ts';
import {
  gateOf,
  inOrder,
  type OutputFilter,
  type OutputKind,
  printedFiles,
} from './output-files.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

const bytesDefault = 64 * 1024;
const followMs = 200;

/** Shows the output of an attempt's agents or gate from the files that the processes wrote. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (project) => {
    const { store } = project;
    const id = call.args[0] ?? '';
    const filter = filterOf(call);
    if (!filter.ok) return filter;
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const attempts = await store.attempts({ task: id });
    if (!attempts.ok) return attempts;
    const recordOf = (number: number): AttemptRecord | undefined =>
      attempts.value.find((one) => one.number === number);
    const asked = call.options.number('attempt');
    const newest = asked ?? record.value.attempts;
    const printed = await printedBy(project, recordOf(newest), filter.value);
    if (!printed.ok) return printed;
    let { files } = printed.value;
    let attempt = newest;
    // A cached verdict has no output; that of an earlier attempt explains it.
    const goesBack = asked === undefined && filter.value.shows === 'gate';
    while (goesBack && files.length === 0 && attempt > 1) {
      attempt -= 1;
      const before = await printedBy(project, recordOf(attempt), filter.value);
      if (!before.ok) return before;
      files = before.value.files;
    }
    if (files.length === 0) {
      const problem =
        newest === 0 ? `no attempt at "${id}" has started yet` : printed.value.nothing;
      return fail({ kind: 'usage', problem, remedy: `See \`ym why ${id}\`.` });
    }
    if (attempt !== newest && !call.global.quiet)
      remark(`the gate of attempt ${newest} has no output; this is attempt ${attempt}`);
    const raw = call.options.flag('raw') || filter.value.shows === 'gate';
    const follows = call.options.flag('follow') && !call.global.quiet;
    // Tell the user if this is not the agent's own output.
    const surprising = isSurprising(filter.value, files) && !call.global.quiet;
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
        const state = now.value === undefined ? 'gone' : recordStateText(now.value);
        if (follows) remark(`attempt ${attempt} is over; ${id} is ${state} now`);
        return ok(0);
      }
      await sleep(followMs);
    }
  });
}

/** Output files of an attempt; `nothing` explains why there are none. */
async function printedBy(
  project: Pick<Opened, 'dir'>,
  record: AttemptRecord | undefined,
  filter: OutputFilter,
): Promise<Result<{ readonly files: readonly string[]; readonly nothing: string }>> {
  if (record === undefined) return ok({ files: [], nothing: nothingOf[filter.shows] });
  const run = record.runs[0] ?? '';
  const dir = attemptDir(project, run, record.task, record.number);
  const unpacked = await unpackFolder(dir);
  if (!unpacked.ok) return unpacked;
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const found = printedFiles(names, record, filter).map((name) => join(dir, name));
  const files =
    filter.shows === 'gate' ? await judgedInQueue(project, record, filter, found) : ok(found);
  if (!files.ok) return files;
  const isPruned = !existsSync(join(runsDir(project), run));
  const nothing = isPruned ? `the files of run ${run} were pruned` : nothingOf[filter.shows];
  return ok({ files: files.value, nothing });
}

function shownOf(call: Call, file: string, raw: boolean, redact: Redactor): Shown {
  const { options } = call;
  const stream = !raw && isStreamFile(file);
  const plain = stream ? new Rendered(options.flag('follow')) : asText;
  const sink = options.flag('json') ? new Collected(basename(file), stream) : plain;
  // A stream is shown from its start: half of a turn cannot be understood.
  const limit = options.number('bytes') ?? (sink === asText ? bytesDefault : 0);
  return new Shown(file, startOf(file, limit), redact, sink);
}

/** Printed on standard error, so that it is not part of the log. */
function remark(text: string): void {
  process.stderr.write(`ym: ${text}\n`);
}

/** `turn 2`, from the names of its files. */
function namesOf(files: readonly string[]): string {
  const words = files.map((file) => basename(file).replace(/^(\w+)-(\d+).*$/, '$1 $2'));
  return [...new Set(words)].join(', ');
}

const nothingOf: Readonly<Record<OutputKind, string>> = {
  newest: 'there is no output yet',
  gate: 'its gate has no output yet',
  review: 'its reviewers have no output yet',
  critique: 'its critique has no output yet',
};

function filterOf({ options }: Call): Result<OutputFilter> {
  const asked = (['gate', 'review', 'critique'] as const).filter((kind) => options.flag(kind));
  if (asked.length > 1) {
    const problem = `--${asked.join(' and --')} cannot be combined`;
    return fail({ kind: 'usage', problem, remedy: 'Use one of them.' });
  }
  if (options.flag('json') && options.flag('follow')) {
    const problem = '--json and --follow cannot be combined';
    return fail({ kind: 'usage', problem, remedy: 'Follow with `ym log TASK -f --raw`.' });
  }
  const turn = options.number('turn');
  return ok({ shows: asked[0] ?? 'newest', ...(turn === undefined ? {} : { turn }) });
}

function isSurprising({ shows }: OutputFilter, files: readonly string[]): boolean {
  return shows === 'newest' && !files.some((file) => basename(file).startsWith('turn-'));
}

/** Output of the merge queue's gate on the attempt's work, if it is newer than that of the attempt's own gate. */
async function judgedInQueue(
  project: Pick<Opened, 'dir'>,
  { prefixes }: AttemptRecord,
  { turn }: OutputFilter,
  found: readonly string[],
): Promise<Result<readonly string[]>> {
  const least = turn ?? Math.max(0, ...found.map(gateOf));
  const later = prefixes
    .flatMap(({ run, candidate, gates }) => gates.map((gate) => ({ run, candidate, ...gate })))
    .filter((gate) => (turn === undefined ? gate.turn >= least : gate.turn === turn));
  for (const { run, candidate, count } of later.toReversed()) {
    const dir = join(runsDir(project), run, 'candidates', `${candidate}-${count}`);
    const unpacked = await unpackFolder(dir);
    if (!unpacked.ok) return unpacked;
    const names = existsSync(dir) ? readdirSync(dir) : [];
    const printed = names.filter((name) => /^gate-.*\.(?:out|err)$/.test(name));
    // A cached verdict has no output.
    if (printed.length > 0) return ok(inOrder(printed).map((name) => join(dir, name)));
  }
  return ok(found);
}
