import { createHash } from 'node:crypto';
import { type PrefixInput, prefixText } from './prompt.ts';

/** The frozen beginning of the prompts of one agent in one run, and a short name for it that goes into the record. */
export interface Prefix {
  readonly text: string;
  /** Sixteen hexadecimal digits; the same for the same text. */
  readonly hash: string;
}

export function prefixOf(input: PrefixInput): Prefix {
  const text = prefixText(input);
  return { text, hash: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}
