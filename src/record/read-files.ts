import { readFileSync } from 'node:fs';
import { fail, failureFrom, ok, type Result } from '../model/failure.ts';
import { type AttemptFile, fileSchema, type ManifestFile, type RunFile } from './run-file.ts';

/** A file as far as it can be understood, or why it cannot. */
export type Reading<T> =
  | { readonly id: 'read'; readonly value: T }
  | { readonly id: 'unreadable'; readonly reason: string };

type Stored = Record<string, unknown>;

/** Fields that are missing get their defaults. A file of another version is `store-newer`, with both versions. */
export function readRunFile(file: string): Result<Reading<RunFile>> {
  return read(file, 'id', ({ stop, paused, ...stored }) => {
    const base = {
      startedAt: 0,
      lastUpdatedAt: stored.startedAt ?? 0,
      jobs: 1,
      target: '',
      base: '',
      agent: '',
      scope: { kind: 'ready' },
      starts: 0,
      landed: 0,
    };
    return {
      ...base,
      ...stored,
      ...(isObject(paused) ? { paused: pausesOf(paused) } : {}),
      ...(isObject(stop) ? { stop: 'failure' in stop ? withFailure(stop) : stop } : {}),
    };
  });
}

export function readManifest(file: string): Result<Reading<ManifestFile>> {
  const slotBase = { slot: 0, attempts: 0, landed: 0, failed: 0, ms: 0 };
  return read(file, 'run', (stored) => {
    const slots = Array.isArray(stored.slots) ? stored.slots.filter(isObject) : [];
    const base = { jobs: Math.max(1, slots.length), startedAt: 0 };
    return { ...base, ...stored, slots: slots.map((slot) => ({ ...slotBase, ...slot })) };
  });
}

export function readAttemptFile(file: string): Result<Reading<AttemptFile>> {
  return read(file, 'task', (stored) => {
    const base = {
      attempt: 1,
      run: '',
      slot: 0,
      agent: '',
      branch: '',
      startedAt: 0,
      turns: 0,
      outcome: 'unfinished',
    };
    const upgraded =
      stored.outcome === 'failed' || 'failure' in stored ? withFailure(stored) : stored;
    return { ...base, ...upgraded };
  });
}

/** `key` is the one field without which the rest means nothing. */
function read<T>(
  file: string,
  key: string,
  upgrade: (stored: Stored) => object,
): Result<Reading<T>> {
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return unreadable(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(stored)) return unreadable(`${file} does not hold an object`);
  const { schema: found = fileSchema } = stored;
  if (typeof found === 'number' && found !== fileSchema) {
    return fail({ kind: 'store-newer', file, found, known: fileSchema });
  }
  if (found !== fileSchema) return unreadable(`${file} does not say its version as a number`);
  if (typeof stored[key] !== 'string') return unreadable(`${file} has no "${key}"`);
  return ok({ id: 'read', value: { ...upgrade(stored), schema: fileSchema } as T });
}

function unreadable(reason: string): Result<Reading<never>> {
  return ok({ id: 'unreadable', reason });
}

function withFailure(stored: Stored): Stored {
  return { ...stored, failure: failureFrom(stored.failure) };
}

function pausesOf(stored: Stored): Stored {
  const pauses = Object.entries(stored).map(([account, pause]) => [
    account,
    isObject(pause) ? withFailure(pause) : { failure: failureFrom(pause) },
  ]);
  return Object.fromEntries(pauses) as Stored;
}

function isObject(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
