// What the scripted agent is told to do, as plain objects. The verbs are those of docs/scripted-agent.md.

/** An object with exactly one verb, such as `{ write: { path, text } }`. */
export type Action = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
/** One list of actions for each turn; the last list repeats. */
export type Turns = readonly (readonly Action[])[];
/** One list of actions for each round of those who only look, or one for each time they are asked in a round. */
export type OneShots = readonly (readonly Action[] | { readonly tries: Turns })[];
/** What an agent plays that is asked to look as well as to work. */
export interface Parts {
  readonly turns?: Turns;
  readonly reviews?: OneShots;
  readonly critiques?: OneShots;
  readonly improvements?: OneShots;
  readonly batches?: OneShots;
  readonly revisions?: OneShots;
  readonly probes?: OneShots;
}
/** What each task's agent plays: turns, or turns for each attempt, or all its parts. */
export type Script = Readonly<
  Record<string, Turns | { readonly attempts: readonly Turns[] } | Parts>
>;

export const write = (path: string, text: string): Action => ({ write: { path, text } });
export const append = (path: string, text: string): Action => ({ append: { path, text } });
export const remove = (path: string): Action => ({ delete: { path } });
export const commit = (message: string): Action => ({ commit: { message } });
export const print = (text: string): Action => ({ print: { text } });
export const exit = (code: number): Action => ({ exit: { code } });
/** Makes a file on the stage; see `Yard.seen`. */
export const touch = (file: string): Action => ({ touch: { file } });
/** Waits until a file is on the stage; see `Yard.signal`. */
export const waitFor = (file: string): Action => ({ waitFor: { file, ms: 30_000 } });
export const hang: Action = { hang: {} };
/** Writes the agent's working directory and `YARD_` variables to the stage. */
export const env = (to: string): Action => ({ env: { to } });

/** The script as its file holds it. A task called `default` is played for tasks without an entry. */
export function scriptText(script: Script): string {
  const entries = Object.entries(script).map(([task, given]) => [task, entryOf(given)]);
  const { default: fallback, ...tasks } = Object.fromEntries(entries);
  return `${JSON.stringify(fallback === undefined ? { tasks } : { tasks, default: fallback }, null, 2)}\n`;
}

function entryOf(given: Script[string]): unknown {
  if ('attempts' in given) return { attempts: given.attempts.map((turns) => ({ turns })) };
  return 'length' in given ? { turns: given } : given;
}

/** A task of a plan file; whatever a plan file takes. The title is the id where none is given. */
export interface PlanTask {
  readonly id: string;
  readonly title?: string;
  readonly after?: readonly string[];
  readonly [key: string]: unknown;
}

export function planText(tasks: readonly PlanTask[]): string {
  return `${JSON.stringify({ tasks: tasks.map((task) => ({ title: task.id, ...task })) }, null, 2)}\n`;
}
