import type { TurnResult } from '../model/attempt.ts';
import { isTaskId } from '../model/task.ts';
import { withoutTokens } from '../protocol/token.ts';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/**
 * A result as it may be stored. What a listener hears has the secrets still in it. Ids stay as they are: they have to be
 * used again.
 */
export function withoutSecrets(result: TurnResult, redact: Redact | undefined): TurnResult {
  const clean = (text: string): string => withoutTokens(redact?.(text) ?? text);
  const { session, model, next, ...texts } = result;
  const ids = Object.fromEntries(
    Object.entries({ session, model, next }).filter(([, value]) => value !== undefined),
  );
  return { ...(cleaned(texts, clean) as TurnResult), ...ids };
}

/** Names of fields that hold ids, or words of our own. */
const kept = new Set(['kind', 'id', 'session']);

function cleaned(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: unknown) => cleaned(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    kept.has(name) ? item : cleaned(item, name === 'ids' ? exceptIds(redact) : redact),
  ]);
  return Object.fromEntries(entries);
}

/** A claim may name what is no id at all. */
function exceptIds(redact: Redact): Redact {
  return (word) => (isTaskId(word) ? word : redact(word));
}
