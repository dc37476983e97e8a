import { type Finding, severities } from '../model/finding.ts';

/** `id (severity) file:line: text`, on one line. */
export function findingLine({ id, severity, file, line, text }: Finding): string {
  const where = file === undefined ? '' : ` ${line === undefined ? file : `${file}:${line}`}`;
  return oneLine(`${id} (${severity})${where}: ${text}`);
}

/** Lists findings by severity in at most `chars` characters; the rest is counted. */
export function findingList(findings: readonly Finding[], chars: number): string {
  const grave = ({ severity }: Finding): number => severities.indexOf(severity);
  const lines = [...findings]
    .sort((a, b) => grave(a) - grave(b))
    .map((one) => `- ${findingLine(one)}`);
  const room = (kept: readonly string[]): number => kept.join('\n').length;
  const shown: string[] = [];
  for (const line of lines) {
    if (room([...shown, line, moreOf(lines.length)]) > chars && shown.length > 0) break;
    shown.push(line.slice(0, chars));
  }
  const left = lines.length - shown.length;
  return left === 0 ? shown.join('\n') : [...shown, moreOf(left)].join('\n').slice(0, chars);
}

const moreOf = (count: number): string => `- and ${count} more`;

/** Foreign text in a fence that it cannot close, so that nothing in it takes effect. */
export function quoted(text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text.trimEnd()}\n${mark}`;
}

export function list(head: string, items: readonly string[]): string {
  return [head, ...items.map((item) => `- ${oneLine(item)}`)].join('\n');
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
