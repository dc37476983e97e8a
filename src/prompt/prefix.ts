import { createHash } from 'node:crypto';
import { type PrefixInput, prefixText } from './prompt.ts';

/** The common beginning of all prompts of one agent in one run, and its hash for the record. */
export interface Prefix {
  readonly text: string;
  /** Sixteen hexadecimal digits. */
  readonly hash: string;
}

export function prefixOf(input: PrefixInput): Prefix {
  const text = prefixText(input);
  return { text, hash: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}
