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
