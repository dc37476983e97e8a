import { withIsoTimes } from '../report/format/time.ts';
import type { View } from '../report/view/view.ts';

/** Text of any answer: JSON whose moments are ISO 8601, as `--json` prints them. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, withIsoTimes);
}

/**
 * A view as JSON in pieces. The next view is compared with it piece by piece, so that a change is sent instead of a whole
 * view.
 */
export class ViewText {
  #fields = new Map<string, string>();
  #tasks = new Map<string, string>();

  /** Takes over a view. Returns what is different as members of a JSON object; undefined if nothing is. */
  update({ tasks, ...fields }: View): string | undefined {
    const [old, oldTasks] = [this.#fields, this.#tasks];
    this.#fields = new Map(
      Object.entries(fields).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, jsonText(value)] as const],
      ),
    );
    this.#tasks = new Map(tasks.map((task) => [task.id, jsonText(task)]));
    const set = [...this.#fields].filter(([key, text]) => old.get(key) !== text);
    // A field that is absent now is sent as null.
    const unset = [...old.keys()].filter((key) => !this.#fields.has(key));
    const changed = [...this.#tasks].filter(([id, text]) => oldTasks.get(id) !== text);
    const gone = [...oldTasks.keys()].filter((id) => !this.#tasks.has(id));
    if (set.length + unset.length + changed.length + gone.length === 0) return undefined;
    const members = [...set, ...unset.map((key) => [key, 'null'] as const)].map(memberText);
    return [
      `"set":{${members.join()}}`,
      `"tasks":[${changed.map(([, text]) => text).join()}]`,
      `"gone":${JSON.stringify(gone)}`,
    ].join();
  }

  /** The whole view as members of a JSON object. */
  whole(): string {
    const members = [...this.#fields].map(memberText);
    return [...members, `"tasks":[${[...this.#tasks.values()].join()}]`].join();
  }
}

function memberText([key, text]: readonly [string, string]): string {
  return `${JSON.stringify(key)}:${text}`;
}
