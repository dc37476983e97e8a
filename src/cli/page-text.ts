import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { diffOf } from '../app/diff.ts';
import { explainTask, storyAt } from '../app/explain.ts';
import { type AttemptLog, findLog, readLog, wholeLog } from '../app/log.ts';
import { recordsAt } from '../app/moment.ts';
import type { Opened } from '../app/ports.ts';
import { ok, type Result } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import { explain } from '../report/explain/explain.ts';
import { textLines } from '../report/format/layout.ts';
import { plain } from '../report/format/style.ts';
import { isRunning, runningNote } from '../report/task/running-note.ts';
import { whyText } from '../report/task/task.ts';
import { TranscriptText } from '../report/task/transcript.ts';
import type { PageText } from '../report/watch/scene.ts';
import { clockOffset } from './screen.ts';
import type { WantedText } from './wanted-text.ts';

const linesKept = 2_000;

type Found = Pick<PageText, 'lines' | 'sides' | 'note'>;

export class PageTexts {
  readonly #opened: Opened;
  readonly #changed: () => void;
  #wanted: WantedText | undefined;
  #text: PageText | undefined;

  constructor(opened: Opened, changed: () => void) {
    this.#opened = opened;
    this.#changed = changed;
  }

  /** The text that was wanted last, as far as it is read. */
  get text(): PageText | undefined {
    return this.#text;
  }

  want(wanted: WantedText | undefined): void {
    const before = this.#wanted;
    if (keyOf(before) === keyOf(wanted)) return;
    this.#wanted = wanted;
    const isSame = before?.task === wanted?.task && before?.page === wanted?.page;
    // The old text stays until the new one is there, unless it is about something else.
    if (!isSame) this.#text = undefined;
    if (wanted === undefined) return;
    const read = wanted.page === 'tail' ? this.#follow(wanted) : this.#load(wanted);
    read.catch((error: unknown) => this.#show(wanted, { lines: [], note: String(error) }));
  }

  #show(wanted: WantedText, found: Found): void {
    if (this.#wanted !== wanted) return;
    this.#text = { task: wanted.task, isCut: found.lines.length >= linesKept, ...found };
    this.#changed();
  }

  async #load(wanted: WantedText): Promise<void> {
    const found = await settled(documentOf(this.#opened, wanted));
    if (found.ok) this.#show(wanted, { note: 'nothing to show', ...found.value });
    else this.#show(wanted, { lines: [], note: explain(found.failure).what });
  }

  async #follow(wanted: WantedText): Promise<void> {
    const ports = portsFor(this.#opened, wanted);
    const log = await settled(findLog(ports, wanted.task, { shows: 'newest' }));
    if (!log.ok) return this.#show(wanted, { lines: [], note: explain(log.failure).what });
    const lines = new Lines();
    const follow = wanted.past === undefined;
    for await (const text of textsOf(this.#opened, log.value, follow)) {
      if (this.#wanted !== wanted) return;
      lines.add(text);
      this.#show(wanted, { lines: lines.all() });
      // A long output must not keep the keys waiting.
      await yieldToOthers();
    }
    if (!wasRunning(wanted)) return;
    lines.add(`\n${runningNote}\n`);
    this.#show(wanted, { lines: lines.all() });
  }
}

/** True if the newest turn at the moment of the past had not ended. */
function wasRunning({ task, past }: WantedText): boolean {
  const attempts = [...(past?.moment.state.attempts.values() ?? [])];
  const newest = attempts.filter((one) => one.task === task).at(-1);
  return isRunning(newest);
}

/** Reads the records of now, or of the moment of the past. */
function portsFor(opened: Opened, { past }: WantedText) {
  return past === undefined ? opened : { ...opened, store: recordsAt(opened.store, past.moment) };
}

function keyOf(wanted: WantedText | undefined): string {
  if (wanted === undefined) return '';
  const { page, task, version, width, past } = wanted;
  return JSON.stringify([page, task, version, width, past?.moment.seq]);
}

/** Text of a log as it is printed by `ym log`, until its attempt is over. */
async function* textsOf(opened: Opened, log: AttemptLog, follow: boolean): AsyncGenerator<string> {
  const streams = new Map<string, TranscriptText>();
  for await (const part of readLog(opened, log, { raw: false, follow })) {
    if (!part.ok || part.value.id === 'over') return;
    const { value } = part;
    if (value.id === 'next') continue;
    if (value.id === 'text') {
      yield value.text;
      continue;
    }
    const stream = streams.get(value.file) ?? new TranscriptText();
    streams.set(value.file, stream);
    yield value.id === 'entries'
      ? stream.entries(value.entries)
      : stream.end(value.open, value.usage);
  }
}

/** The newest lines of a text that grows. */
class Lines {
  #done: string[] = [];
  #rest = '';

  add(text: string): void {
    const parts = (this.#rest + text.replace(/\r\n/g, '\n')).split('\n');
    this.#rest = parts.pop() ?? '';
    this.#done.push(...parts);
    if (this.#done.length > linesKept) this.#done = this.#done.slice(-linesKept);
  }

  all(): readonly string[] {
    return this.#rest === '' ? [...this.#done] : [...this.#done, this.#rest];
  }
}

async function documentOf(opened: Opened, wanted: WantedText): Promise<Result<Found>> {
  const { page, task, width, past } = wanted;
  const ports = portsFor(opened, wanted);
  switch (page) {
    case 'tail':
      return ok({ lines: [] });
    case 'diff': {
      const found = await diffOf(ports, task);
      return found.ok ? ok({ lines: textLines(found.value.patch) }) : found;
    }
    case 'compare': {
      const { comparedLines } = await import('./compared.ts');
      return comparedLines(ports, task, width);
    }
    case 'why': {
      const found =
        past === undefined
          ? await settled(explainTask(opened, task))
          : await storyAt(opened, past, task);
      if (!found.ok) return found;
      const { record, view, variants, steps, unblocks, conflictTask } = found.value;
      const options = {
        offsetMin: clockOffset(),
        variants,
        messages: record.messages,
        unblocks,
        conflictTask,
      };
      return ok({ lines: whyText(view, steps, plain, width, options) });
    }
    case 'gate': {
      const log = await findLog(opened, task, { shows: 'gate' });
      if (!log.ok) return log;
      const files = await wholeLog(opened, log.value, { raw: true });
      if (!files.ok) return files;
      const lines = files.value.flatMap((file) => ('text' in file ? textLines(file.text) : []));
      return ok({ lines });
    }
  }
}
