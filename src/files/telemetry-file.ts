import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '../model/run.ts';
import { names, object, readJson, text } from '../model/shape.ts';
import { isSystemError } from '../process/identity.ts';

/** One line of `telemetry.jsonl` in the folder of a run: spans that one sink has received. */
const Delivery = object({ to: text, spans: names });

const fileOf = (runsDir: string, run: RunId): string => join(runsDir, run, 'telemetry.jsonl');

/** Ids of the spans of a run that a sink has received. Ignores lines that a killed process did not finish. */
export function deliveredSpans(runsDir: string, run: RunId, to: string): ReadonlySet<string> {
  const deliveries = linesOf(fileOf(runsDir, run)).map((line) => readJson(Delivery, line));
  return new Set(deliveries.flatMap((one) => (one?.to === to ? one.spans : [])));
}

/** Records that a sink has received spans. If the file cannot be written, a resumed run sends them again. */
export async function noteDelivered(
  runsDir: string,
  run: RunId,
  to: string,
  spans: readonly string[],
): Promise<void> {
  // Starts a new line, because the last one may be unfinished.
  const line = `\n${JSON.stringify({ to, spans })}\n`;
  try {
    await appendFile(fileOf(runsDir, run), line, { mode: 0o600 });
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [];
  }
}
