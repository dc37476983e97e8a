// Reading requests that nobody has checked: what is not there reads as empty.

export type Json = Readonly<Record<string, unknown>>;

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a content that is a string, or a list of parts of which some have text. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => text(part.text))
    .join('');
}

/** One frame of a stream of server-sent events. */
export function frame(data: Json, event?: string): string {
  const head = event === undefined ? '' : `event: ${event}\n`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

/** A text in the pieces a model would stream it in. */
export function words(said: string): readonly string[] {
  return said.match(/\S+\s*|\s+/g) ?? [];
}
