import { given } from '../model/given.ts';
import { isTaskId } from '../model/task.ts';
import type { TurnResult } from '../model/turn.ts';
import { withoutTokens } from '../protocol/token.ts';

export type Redact = (text: string) => string;

/** Removes secrets from a result before it is stored. Ids stay, because they are used again. */
export function withoutSecrets(result: TurnResult, redact: Redact | undefined): TurnResult {
  const clean = (text: string): string => withoutTokens(redact?.(text) ?? text);
  const { session, model, next, ...texts } = result;
  return { ...(cleaned(texts, clean) as TurnResult), ...given({ session, model, next }) };
}

/** Fields that hold ids or our own constants. */
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

/** A claim may contain words that are not ids. */
function exceptIds(redact: Redact): Redact {
  return (word) => (isTaskId(word) ? word : redact(word));
}
