// Plays what real agents printed and holds what became of the turn against what is on record beside it.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agent/cli-agent.ts';
import type { Harness } from '../../src/agent/harness.ts';
import type { Done } from '../../src/agent/turn-end.ts';
import { limits } from '../../src/model/limits.ts';
import type { TurnResult } from '../../src/model/turn.ts';
import type { Turn, TurnListener } from '../../src/port/agent.ts';
import type { HowEnded } from '../../src/port/processes.ts';
import { turn } from './turn.ts';

/** What stands in `<case>.json` beside the lines in `<case>.jsonl`. */
export interface Given {
  readonly how: HowEnded;
  readonly stderr?: string;
  readonly turn?: Partial<Turn>;
  readonly done?: Done;
  readonly result: TurnResult;
  /** When the allowance is back by the clock on the wall, where the agent says it that way: `HH:MM`, or with its day. */
  readonly resetsLocally?: string;
}

export interface Recording {
  readonly lines: readonly string[];
  readonly given: Given;
}

/** The moment at which every recorded process ended. */
const endedAt = Date.UTC(2026, 10, 16, 1, 30);

export function casesIn(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
  return files.map((file) => basename(file, '.jsonl')).sort();
}

export function recordingOf(folder: string, name: string): Recording {
  const text = readFileSync(join(folder, `${name}.jsonl`), 'utf8');
  const given: Given = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  return { lines: text.split('\n').filter((line) => line !== ''), given };
}

function listenerOf(harness: Harness, given: Given): TurnListener {
  const agent = cliAgent(harness, {
    name: harness.use,
    args: [],
    sandbox: 'auto',
    root: '/repo',
    base: {},
    done: given.done,
  });
  return agent.listen(turn(given.turn));
}

/** Reads one recording as the engine would. */
export function resultOf(harness: Harness, lines: readonly string[], given: Given): TurnResult {
  const listener = listenerOf(harness, given);
  for (const line of lines) listener.line(line);
  return listener.conclude(
    { how: given.how, startedAt: endedAt - 60_000, endedAt, stragglers: 0 },
    tailOf(lines, given.stderr ?? ''),
  );
}

/** As the supervisor gives it: the end of each stream, standard error last. */
function tailOf(lines: readonly string[], stderr: string): string {
  const half = limits.tailBytes / 2;
  const out = lines.map((line) => `${line}\n`).join('');
  return out.slice(-half) + stderr.slice(-half);
}

/** The part of the suite for adapters that needs no process: every recording in a folder means what stands beside it. */
export function recordedStreams(harness: Harness, folder: string): void {
  describe(`what ${harness.use} printed`, () => {
    const each = (what: string, test: (recording: Recording) => void): void => {
      it.each(casesIn(folder))(`%s${what}`, (name) => test(recordingOf(folder, name)));
    };

    each('', ({ lines, given }) => {
      expect(resultOf(harness, lines, given)).toEqual(expected(given));
    });

    each(' means the same with other lines between', ({ lines, given }) => {
      const noisy = lines.flatMap((line) => ['warning: nothing', '', '{"half":', '[1]', line]);
      expect(withoutTail(resultOf(harness, noisy, given))).toEqual(withoutTail(expected(given)));
    });

    each(', cut off after any line, is never complete', ({ lines, given }) => {
      const killed: Given = { ...given, how: { id: 'signaled', signal: 'SIGKILL' } };
      for (const at of lines.keys()) {
        expect(resultOf(harness, lines.slice(0, at), killed)).toMatchObject({ ok: false });
      }
    });

    each(', ended by us, was interrupted and keeps its facts', ({ lines, given }) => {
      const result = resultOf(harness, lines, { ...given, how: { id: 'interrupted' } });
      const { usage, session, model } = given.result;
      expect(result).toMatchObject({ ok: false, failure: { kind: 'interrupted' } });
      expect(result.usage).toEqual(usage);
      expect(result.model).toEqual(model);
      if (session !== undefined) expect(result.session).toEqual(session);
    });

    each(' has one last word, and no line after it takes that back', ({ lines, given }) => {
      const listener = listenerOf(harness, given);
      const after = ['and a line more', '{"type":"unknown"}'];
      const words = [...lines, ...after].map((line) => listener.line(line));
      expect(words).toEqual([...words].sort());
    });
  });
}

/** Raw output that a failure quotes differs with what was printed. */
function withoutTail(result: TurnResult): TurnResult {
  if (result.ok || !('tail' in result.failure)) return result;
  return { ...result, failure: { ...result.failure, tail: '' } };
}

function expected({ result, resetsLocally }: Given): TurnResult {
  if (resetsLocally === undefined || result.ok || result.failure.kind !== 'quota-exhausted')
    return result;
  return { ...result, failure: { ...result.failure, resetAt: localMoment(resetsLocally) } };
}

function localMoment(clock: string): number {
  if (clock.includes('T')) return new Date(clock).getTime();
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const today = new Date(endedAt).setHours(hours, minutes, 0, 0);
  return today > endedAt ? today : today + 24 * 3600_000;
}
