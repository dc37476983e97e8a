import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

/** A failure in the words of the commands: what happened, why, what to do. `why` may be empty. */
export interface Sentences {
  readonly kind: string;
  readonly what: string;
  readonly why: string;
  readonly do: string;
  readonly details?: readonly string[];
}

/** Several failures become one: the details of the first tell the others. */
export function sentencesOf(failure: Failure | readonly Failure[]): Sentences {
  const [first, ...further] = 'kind' in failure ? [failure] : failure;
  if (first === undefined)
    return { kind: 'internal', what: 'The request failed for an unknown reason.', why: '', do: '' };
  const { exit: _exit, output: _output, ...sentences } = explain(first);
  const others = further.map((one) => explain(one).what);
  const details = [...(sentences.details ?? []), ...others];
  return { ...sentences, ...(details.length === 0 ? {} : { details }) };
}
