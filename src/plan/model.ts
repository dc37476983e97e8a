import type { ModelRules } from '../model/run.ts';
import type { Task } from '../model/task.ts';

/** Agent, model and reasoning effort of a turn, as far as they are specified. */
export interface ModelChoice {
  readonly agent?: string;
  readonly model?: string;
  readonly reasoning?: string;
}

/** Known reasoning efforts; any other last segment belongs to the name of the model. */
export const reasonings: readonly string[] = ['minimal', 'low', 'medium', 'high', 'max', 'xhigh'];

/**
 * Parses `model`, `model:reasoning`, `agent:model` or `agent:model:reasoning`. Names of models may contain colons, so only
 * a known agent in front and a known effort at the end are split off.
 */
export function parseModel(text: string, isAgent: (name: string) => boolean): ModelChoice {
  let parts = text.split(':').map((part) => part.trim());
  const [first = ''] = parts;
  const agent = parts.length > 1 && isAgent(first) ? first : undefined;
  if (agent !== undefined) parts = parts.slice(1);
  const last = parts.at(-1) ?? '';
  const reasoning = parts.length > 1 && reasonings.includes(last) ? last : undefined;
  if (reasoning !== undefined) parts = parts.slice(0, -1);
  const model = parts.join(':');
  return { agent, model: model === '' ? undefined : model, reasoning };
}

/** Model of a task: from a tag in its text, else a label, else the rules for priority or type. Ignores blank values. */
export function modelOfTask(task: Task, rules: ModelRules): string | undefined {
  return (
    tagIn(task.body) ??
    labeled(task.labels) ??
    nonBlank(rules.byPriority?.[`P${task.priority}`]) ??
    (task.type === '' ? undefined : nonBlank(rules.byType?.[task.type]))
  );
}

/** An HTML comment, invisible in rendered text. `hew` is the prefix in older task lists. */
const tag = /<!--\s*(?:ym|hew):model=([^>]*?)-->/g;

function tagIn(body: string): string | undefined {
  for (const [, value = ''] of body.matchAll(tag)) {
    const found = nonBlank(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const labelStart = 'model:';

function labeled(labels: readonly string[]): string | undefined {
  for (const label of labels) {
    const found = label.startsWith(labelStart)
      ? nonBlank(label.slice(labelStart.length))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The labels with this model instead of any other. */
export function withModel(labels: readonly string[], model: string): readonly string[] {
  return [...labels.filter((label) => !label.startsWith(labelStart)), `${labelStart}${model}`];
}

function nonBlank(value: string | undefined): string | undefined {
  const text = value?.trim() ?? '';
  return text === '' || /\s/.test(text) ? undefined : text;
}

/** Choice for a turn. `own` is the model of the agent's profile, used instead of the run's default. */
export function modelFor(
  task: Task,
  rules: ModelRules,
  own: string | undefined,
  isAgent: (name: string) => boolean,
): ModelChoice {
  const text = modelOfTask(task, rules) ?? nonBlank(own) ?? nonBlank(rules.default);
  return text === undefined ? {} : parseModel(text, isAgent);
}
