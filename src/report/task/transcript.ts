import type { Entry, ToolCall } from '../../model/action.ts';
import type { Usage } from '../../model/turn.ts';
import { span } from '../format/time.ts';

/** Understands the output of an agent, line by line. Output of an unknown agent is shown as it is. */
export interface Transcript {
  /** True once a line of a known stream was seen. */
  readonly isStream: boolean;
  line(text: string): readonly Entry[];
  /** Calls that have not ended. */
  open(): readonly ToolCall[];
  usage(): Usage | undefined;
}

/** Text of a stream: the agent's messages, one line for each tool call, and its usage at the end. */
export class TranscriptText {
  /** True if the last output is text that may continue on the same line. */
  #within = false;

  entries(entries: readonly Entry[]): string {
    return entries.map((entry) => this.#entry(entry)).join('');
  }

  end(open: readonly ToolCall[], usage: Usage | undefined): string {
    const lines = [...open.map(callLine), ...(usage === undefined ? [] : [usageLine(usage)])];
    return lines.map((line) => this.#line(line)).join('') + (this.#within ? '\n' : '');
  }

  #entry(entry: Entry): string {
    if (entry.id === 'tool') return this.#line(callLine(entry.call));
    if (entry.id === 'line') return entry.text.trim() === '' ? '' : this.#line(entry.text);
    if (!entry.piece) return this.#line(entry.text.trimEnd());
    this.#within = !entry.text.endsWith('\n');
    return entry.text;
  }

  #line(text: string): string {
    const line = `${this.#within ? '\n' : ''}${text}\n`;
    this.#within = false;
    return line;
  }
}

/** `▸ Bash npm test  exit 1  4 s`. */
export function callLine({ name, subject, outcome }: Omit<ToolCall, 'key'>): string {
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
