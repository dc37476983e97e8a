import { isDeepStrictEqual } from 'node:util';
import { Command, keyOf } from '../../src/model/command.ts';
import type { Event } from '../../src/model/event.ts';
import { isObject, Misfit, read } from '../../src/model/shape.ts';
import { decide } from '../../src/plan/decide.ts';
import { fold } from '../../src/plan/fold.ts';
import { State } from '../../src/plan/state.ts';

/** Commands that a process with this log would decide, each once. */
export function decidedCommands(events: readonly Event[]): readonly Command[] {
  const state = new State();
  const commands = new Map<string, Command>();
  for (const event of events) {
    fold(state, event);
    for (const run of state.runs.keys()) {
      for (const command of decide(state, run, event.at).commands) {
        const key = `${run} ${keyOf(command)}`;
        if (!commands.has(key)) commands.set(key, command);
      }
    }
  }
  return [...commands.values()];
}

/** Lists commands that another process could not receive: those that JSON or the reader of shapes changes. */
export function unsendable(commands: readonly Command[]): readonly string[] {
  return commands.flatMap((command) => {
    const sent: unknown = JSON.parse(JSON.stringify(command));
    const received = read(Command, sent);
    if (received instanceof Misfit) return [`${command.type}: ${received.path.join('/')}`];
    return isDeepStrictEqual(received, withoutUndefined(command))
      ? []
      : [`${command.type} is no plain data`];
  });
}

/** JSON leaves undefined fields out. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutUndefined(field)]));
}
