import type { Task } from '../model/task.ts';

/** One task as a Markdown document that `readMarkdown` reads back: keys as front matter, then the body. */
export function taskDocument({ id: _id, source: _source, body, agent, ...keys }: Task): string {
  // JSON is YAML, and leaves no doubt about quotes.
  const lines = Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const named = agent === undefined ? 'agent:' : `agent: ${JSON.stringify(agent)}`;
  return ['---', note, ...lines, named, '---', '', body, ''].join('\n');
}

const note =
  '# Change what you like and leave the editor. The body is below the second line of dashes.';
