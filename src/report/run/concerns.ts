import type { Concern, Fix } from '../../model/concern.ts';
import { unreachable } from '../../model/failure.ts';
import type { TaskId } from '../../model/task.ts';
import { counted } from '../format/amount.ts';
import { wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';

interface ConcernLayout {
  /** Number of the first concern, because found dependencies come before. */
  readonly first: number;
  /** True if the tasks are stored, so that fixes can be applied. */
  readonly stored: boolean;
  readonly style: Style;
  readonly width: number;
}

/** Concerns about a plan, each with its number and its fix. */
export function concernLines(concerns: readonly Concern[], layout: ConcernLayout): string[] {
  const { first, stored, style, width } = layout;
  if (concerns.length === 0) return [];
  const lines = concerns.flatMap(({ severity, text, fix }, at) => {
    const paint = { block: style.red, warn: style.yellow, info: style.dim }[severity];
    const [head = '', ...rest] = wrap(`${severity}: ${text}`, Math.max(20, width - 5));
    const advice = fixText(fix);
    return [
      `  ${first + at}  ${paint(head)}`,
      ...rest.map((line) => `     ${line}`),
      ...(advice === '' ? [] : wrap(`fix: ${advice}`, width - 5).map((line) => `     ${line}`)),
    ];
  });
  const numbers = concerns.flatMap(({ fix }, at) => (stored && 'task' in fix ? [first + at] : []));
  return [
    '',
    style.yellow(`${counted(concerns.length, 'concern')} about this plan:`),
    ...lines,
    ...(numbers.length === 0
      ? []
      : [`\`ym plan --apply ${numbers.join(',')}\` applies these fixes.`]),
  ];
}

/** The fix as a sentence without its period; empty if there is none. */
function fixText(fix: Fix): string {
  switch (fix.kind) {
    case 'none':
      return '';
    case 'advice':
      return fix.text;
    case 'after':
      return `${fix.task} waits for ${fix.parent}`;
    case 'not-after':
      return `${fix.task} no longer waits for ${fix.parent}`;
    default:
      return unreachable(fix);
  }
}

export function changeText(change: {
  readonly kind: 'after' | 'not-after' | 'rejected';
  readonly task: TaskId;
  readonly parent: TaskId;
}): string {
  const { kind, task, parent } = change;
  if (kind !== 'rejected') return fixText({ kind, task, parent });
  return `${task} need not wait for ${parent}, and \`ym plan\` does not propose it again`;
}
