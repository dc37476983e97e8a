import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attemptDir, runsDir } from '../files/layout.ts';
import { unpackFolder } from '../files/old-files.ts';
import { ok, type Result } from '../model/failure.ts';
import { type AttemptRecord, rangeOf, type Step } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import { clockOf, type RunRecord } from '../model/run-record.ts';
import { outcomeOf } from '../model/trouble.ts';
import { explain } from '../report/explain/explain.ts';
import { runDrawing } from '../report/graph/run.ts';
import type { AttemptReport, CutText, RunReport } from '../report/html/run-report.ts';
import { spendTablesOf } from '../report/spend/spend-tables.ts';
import { historyLines } from '../report/task/history.ts';
import { timelineOf } from '../report/timeline/timeline.ts';
import { projectRedactor, type Redactor } from './config.ts';
import { isUnderWay } from './liveness.ts';
import { existingRun } from './lookup.ts';
import { inOrder } from './output-files.ts';
import type { Liveness, Opened } from './ports.ts';
import { summaryOfRun } from './summary.ts';

type Ports = Liveness & Pick<Opened, 'store' | 'dir' | 'root' | 'env' | 'git'>;

interface ReportOptions {
  readonly offsetMin: number;
  /** Called after each attempt whose files were read. */
  readonly onAttempt: (done: number, all: number) => void;
}

/** Everything about a run, with the texts of its files, bounded and without secrets. */
export async function reportOn(
  ports: Ports,
  name: string | undefined,
  { offsetMin, onAttempt }: ReportOptions,
): Promise<Result<RunReport>> {
  const { store, clock } = ports;
  const run = await existingRun(store, name);
  if (!run.ok) return run;
  const summary = await summaryOfRun(ports, run.value);
  if (!summary.ok) return summary;
  const attempts = await store.attempts({ run: run.value.id });
  if (!attempts.ok) return attempts;
  const queue = await store.queueSteps(run.value.id);
  if (!queue.ok) return queue;
  const tasks = await store.tasks();
  if (!tasks.ok) return tasks;
  const titles = new Map(tasks.value.map(({ task }) => [task.id, task.title]));
  const texts = new Texts(projectRedactor(ports));
  const reports: AttemptReport[] = [];
  for (const record of attempts.value) {
    const report = await attemptReport(ports, run.value, record, texts);
    if (!report.ok) return report;
    reports.push({ ...report.value, title: titles.get(record.task) ?? '' });
    onAttempt(reports.length, attempts.value.length);
  }
  const source = {
    run: run.value,
    attempts: attempts.value,
    queue: queue.value,
    live: tasks.value,
  };
  const now = clock.now();
  const until = clockOf(run.value, isUnderWay(ports, run.value), now);
  return ok({
    project: basename(ports.root),
    summary: summary.value,
    drawing: runDrawing(attempts.value, run.value, offsetMin),
    timeline: timelineOf(source, { now: until, rows: 'slots', squeeze: true }),
    queue: queue.value,
    spend: spendTablesOf(run.value, attempts.value),
    attempts: reports,
    at: now,
    offsetMin,
  });
}

/** Makes texts that are bounded, each and together, and hold no secrets. */
class Texts {
  readonly #redact: Redactor;
  #left: number = limits.reportBytes;

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  /** The beginning of a text. */
  start(name: string, text: string): CutText {
    const room = this.#room();
    const seen = text.slice(0, room + limits.redactAheadChars);
    return this.#taken(name, this.#redact.whole(seen).slice(0, room), text.length - room);
  }

  /** The end of a file. */
  file(path: string): CutText {
    const room = this.#room();
    const { text, leftOut } = endOf(path, room + limits.redactAheadChars);
    const context = leftOut === 0 ? Math.max(0, text.length - room) : limits.redactAheadChars;
    const from = Math.min(context, text.length);
    return this.#taken(basename(path), this.#redact.end(text, from), leftOut + from);
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  #room(): number {
    return Math.max(0, Math.min(limits.reportTextBytes, this.#left));
  }

  #taken(name: string, text: string, leftOut: number): CutText {
    this.#left -= text.length;
    return { name, text, leftOut: Math.max(0, leftOut) };
  }
}

/** The last bytes of a file, and how many are before them. */
function endOf(path: string, most: number): { readonly text: string; readonly leftOut: number } {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, most));
    const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return { text: bytes.subarray(0, read).toString('utf8'), leftOut: size - bytes.length };
  } finally {
    closeSync(fd);
  }
}

async function attemptReport(
  { store, git, ...place }: Ports,
  run: RunRecord,
  record: AttemptRecord,
  texts: Texts,
): Promise<Result<Omit<AttemptReport, 'title'>>> {
  const steps = await store.steps(record.task);
  if (!steps.ok) return steps;
  const own = steps.value.filter(({ attempt }) => attempt === record.number);
  const story = historyLines(own);
  if (texts.isFull) {
    const missing = 'Its texts are left out, because the report is large enough.';
    return ok({ record, story, prompts: [], gates: [], reviews: [], missing });
  }
  const first = record.runs[0] ?? run.id;
  const dir = attemptDir(place, first, record.task, record.number);
  const prompts = await filesIn(dir, /^turn-\d+\.prompt\.md$/, texts);
  const range = rangeOf(record);
  const patch = range === undefined ? undefined : await outcomeOf(git.diff(range.from, range.to));
  const diff = patch?.ok === true ? texts.start(`ym diff ${record.task}`, patch.value) : undefined;
  const gates = await gateTexts(place, dir, record, texts);
  const isPruned = !existsSync(join(runsDir(place), first));
  const missing = [
    ...(isPruned ? [`The files of run ${first} were pruned.`] : []),
    ...(patch?.ok === false ? [`Its change cannot be shown. ${explain(patch.failure).what}`] : []),
  ].join(' ');
  return ok({
    record,
    story,
    prompts,
    diff,
    missing: missing === '' ? undefined : missing,
    gates: gates.filter(({ text }) => text !== ''),
    reviews: reviewsIn(own, texts),
  });
}

/** Texts of the files of a folder, in order. Compressed ones of old runs are unpacked first. */
async function filesIn(folder: string, pattern: RegExp, texts: Texts): Promise<readonly CutText[]> {
  if (!existsSync(folder)) return [];
  await unpackFolder(folder);
  const names = inOrder(readdirSync(folder)).filter((name) => pattern.test(name));
  return names.map((name) => texts.file(join(folder, name)));
}

const gateFile = /^gate-.*\.(?:out|err)$/;

/** Output of the gates on the branch of an attempt, then of those on candidates with it. */
async function gateTexts(
  place: Pick<Ports, 'dir'>,
  dir: string,
  { prefixes }: AttemptRecord,
  texts: Texts,
): Promise<readonly CutText[]> {
  const own = await filesIn(dir, gateFile, texts);
  const all = [...own];
  for (const { run, candidate, gates } of prefixes) {
    for (const { count } of gates) {
      const name = `${candidate}-${count}`;
      const folder = join(runsDir(place), run, 'candidates', name);
      const files = await filesIn(folder, gateFile, texts);
      all.push(...files.map((one) => ({ ...one, name: `candidate ${name}: ${one.name}` })));
    }
  }
  return all;
}

/** Votes of reviewers and critics with their findings. */
function reviewsIn(steps: readonly Step[], texts: Texts): readonly CutText[] {
  return steps.flatMap(({ what }) => {
    if (what.type !== 'call-ended') return [];
    const { call, result } = what;
    const name = `${call.kind} ${call.round} by ${call.agent}`;
    if (!result.ok) return [texts.start(`${name}: no answer`, result.failure.kind)];
    if ('body' in result) return [texts.start(`${name}: rewrote the task`, result.body)];
    if ('variant' in result) {
      return [texts.start(`${name}: prefers ${result.variant}`, result.reason)];
    }
    const findings = result.findings.map(({ severity, text }) => `${severity}: ${text}`);
    return [texts.start(`${name}: ${result.verdict}`, findings.join('\n') || 'no findings')];
  });
}
