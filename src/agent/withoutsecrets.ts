import type { TurnResult } from '../model/attempt.ts';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/**
 * A result as it may be stored. What a listener hears has the secrets still in it. Ids stay as they are: they have to be
 * used again.
 */
export function withoutSecrets(result: TurnResult, redact: Redact | undefined): TurnResult {
  if (redact === undefined) return result;
  const { session, model, next, ...texts } = result;
  const ids = Object.fromEntries(
    Object.entries({ session, model, next }).filter(([, value]) => value !== undefined),
  );
  const clean = cleaned(texts, redact) as TurnResult;
  return { ...clean, ...ids };
}

/** Names of fields that hold ids, or words of our own. */
const kept = new Set(['kind', 'id', 'ids', 'session']);

function cleaned(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: unknown) => cleaned(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    kept.has(name) ? item : cleaned(item, redact),
  ]);
  return Object.fromEntries(entries);
}
