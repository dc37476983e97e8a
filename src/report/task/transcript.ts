import type { Usage } from '../../model/turn.ts';
import { span } from '../format/time.ts';

/** A tool call; `outcome` is absent while it runs. */
export interface ShownCall {
  readonly name: string;
  readonly subject: string;
  readonly outcome?: { readonly ok: boolean; readonly exit?: number; readonly ms?: number };
}

/** `▸ Bash npm test  exit 1  4 s`. */
export function callLine({ name, subject, outcome }: ShownCall): string {
  const result =
    outcome === undefined
      ? 'running'
      : outcome.ok
        ? ''
        : outcome.exit === undefined
          ? 'failed'
          : `exit ${outcome.exit}`;
  const time = outcome?.ms === undefined ? '' : span(outcome.ms);
  const call = ['▸', name, subject].filter((part) => part !== '').join(' ');
  return [call, result, time].filter((part) => part !== '').join('  ');
}

/** `usage: 2400 input, 16000 cached, 90 output, $0.0176`. */
export function usageLine({ input, cacheRead, cacheWrite, output, costUsd }: Usage): string {
  const parts = [
    `${input} input`,
    ...(cacheRead + cacheWrite === 0 ? [] : [`${cacheRead + cacheWrite} cached`]),
    `${output} output`,
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(4)}`]),
  ];
  return `usage: ${parts.join(', ')}`;
}
