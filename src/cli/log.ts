import { basename } from 'node:path';
import { type AttemptLog, awaitLog, findLog, readLog, wholeLog } from '../app/log.ts';
import type { FilePart } from '../app/log-file.ts';
import type { OutputFilter } from '../app/output-files.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { TranscriptText } from '../report/task/transcript.ts';
import { recordStateText } from '../report/view/state.ts';
import { withStore } from './open.ts';
import { printRaw, printText } from './output.ts';
import type { Call } from './parse.ts';
import { screenOf, warn } from './screen.ts';

/** Shows the output of an attempt's agents or gate. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async (opened) => {
    const { options, global } = call;
    const id = call.args[0] ?? '';
    const filter = filterOf(call);
    if (!filter.ok) return filter;
    const attempt = options.number('attempt');
    const follow = options.flag('follow');
    const find = follow ? awaitLog : findLog;
    const log = await find(opened, id, { ...filter.value, attempt });
    if (!log.ok) return log;
    if (!global.quiet) warn(remarks(log.value, follow));
    const raw = options.flag('raw') || filter.value.shows === 'gate';
    const how = { raw, bytes: options.number('bytes') };
    if (options.flag('json')) {
      const files = await wholeLog(opened, log.value, how);
      if (!files.ok) return files;
      screenOf(call).json({ task: id, attempt: log.value.attempt, files: files.value });
      return ok(0);
    }
    const text = textOfParts();
    const write = options.flag('raw') ? printRaw : printText;
    let isEmpty = true;
    for await (const part of readLog(opened, log.value, { ...how, follow })) {
      if (!part.ok) return part;
      const { value } = part;
      if ('file' in value) {
        const shown = text(value);
        if (shown !== '') isEmpty = false;
        write(shown);
      } else if (global.quiet) continue;
      else if (value.id === 'next') warn(remarks(value.log, follow));
      else {
        const state = value.record === undefined ? 'gone' : recordStateText(value.record);
        warn([`attempt ${log.value.attempt} is over; ${id} is ${state} now`]);
      }
    }
    if (isEmpty && !global.quiet) warn([`the output of attempt ${log.value.attempt} is empty`]);
    return ok(0);
  });
}

function textOfParts(): (part: FilePart) => string {
  const streams = new Map<string, TranscriptText>();
  return (part) => {
    if (part.id === 'text') return part.text;
    const stream = streams.get(part.file) ?? new TranscriptText();
    streams.set(part.file, stream);
    return part.id === 'entries' ? stream.entries(part.entries) : stream.end(part.open, part.usage);
  };
}

const stepTexts = { check: 'the check of the target', 'set-up': 'the set-up of its worktree' };

/** Notes that say which log it is, if the user may expect another one or follows it. */
function remarks(
  { task, attempt, requested, filter, files, before }: AttemptLog,
  follow: boolean,
): string[] {
  if (before.length > 0) {
    const shown = before.map((one) => stepTexts[one]).join(', then ');
    return [`attempt ${attempt} has no agent yet; this is the output of ${shown}`];
  }
  const names = files.map((file) => basename(file));
  const isSurprising = filter.shows === 'newest' && !names.some((name) => name.startsWith('turn-'));
  const parts = names.map((name) => name.replace(/^(\w+)-(\d+).*$/, '$1 $2'));
  return [
    ...(attempt === requested
      ? []
      : [`the gate of attempt ${requested} has no output; this is attempt ${attempt}`]),
    ...(follow || isSurprising
      ? [`${task}, attempt ${attempt}, ${[...new Set(parts)].join(', ')}`]
      : []),
  ];
}

function filterOf({ options }: Call): Result<OutputFilter> {
  const asked = (['gate', 'review', 'critique'] as const).filter((kind) => options.flag(kind));
  if (asked.length > 1) {
    return usage(`--${asked.join(' and --')} cannot be combined`, 'Use one of them.');
  }
  if (options.flag('json') && options.flag('follow')) {
    return usage('--json and --follow cannot be combined', 'Follow with `ym log TASK -f --raw`.');
  }
  return ok({ shows: asked[0] ?? 'newest', turn: options.number('turn') });
}
