import { join } from 'node:path';
import type { RunId } from '../model/run.ts';
import {
  bool,
  count,
  list,
  map,
  type Of,
  object,
  optional,
  text,
  time,
  words,
} from '../model/shape.ts';
import { fittingIn } from './read-files.ts';
import { fileSchema } from './run-file.ts';

/** One message, after its last try. `cause` says why it was given up. */
const HookDelivery = object({
  id: text,
  point: text,
  at: time,
  events: count,
  tries: count,
  cause: optional(text),
});
export type HookDelivery = Of<typeof HookDelivery>;

const HookLedger = object({
  /** Number of the last event of the run that needs no further delivery. */
  position: count,
  /** Events that were delivered, and those that were given up. */
  sent: count,
  failed: count,
  /** The newest deliveries, oldest first. */
  recent: list(HookDelivery),
});
export type HookLedger = Of<typeof HookLedger>;

/** `hooks.json` in the folder of a run: what its hooks have delivered. */
const HookFile = object({
  schema: words(fileSchema),
  /** True if nothing was left to deliver when the run ended. */
  settled: bool,
  hooks: map(HookLedger),
});
type HookFile = Of<typeof HookFile>;

export const hookFilePath = (runsDir: string, run: RunId): string =>
  join(runsDir, run, 'hooks.json');

/** Undefined if it is missing or damaged. */
export function readHookFile(runsDir: string, run: RunId): HookFile | undefined {
  return fittingIn(hookFilePath(runsDir, run), HookFile);
}
