import type { Event } from '../../model/event.ts';
import { actorText } from '../event/actor.ts';
import { choiceText } from '../event/choice.ts';
import { decisionReason, isByRun, slotChangeText } from '../event/step.ts';
import { shortCommit } from '../format/time.ts';
import type { Line } from './line.ts';

/** Lines for what a person did. */
export function personLines(
  event: Extract<
    Event,
    { type: 'stop-asked' | 'slots-changed' | 'run-reloaded' | 'message-sent' | 'task-decided' }
  >,
): Line[] {
  const person = actorText(event.actor);
  switch (event.type) {
    case 'stop-asked': {
      const by = event.actor === undefined ? event.by : `${person} with ${event.by}`;
      return [{ verb: 'stopping', rest: `${event.how}, asked by ${by}` }];
    }
    case 'slots-changed':
      return [{ verb: 'slots', rest: `${slotChangeText(event.change)}, by ${person}` }];
    case 'run-reloaded':
      return [{ verb: 'reloaded', rest: `limits and programs of agents, by ${person}` }];
    case 'message-sent':
      return [{ verb: 'message', task: event.id, rest: `from ${person}: ${event.text}` }];
    case 'task-decided': {
      const { decision, id: task } = event;
      if (decision.kind === 'choose') {
        const rest = choiceText({ ...decision, actor: event.actor });
        return [{ verb: 'chosen', task, rest }];
      }
      const reason = decisionReason(decision);
      const by = isByRun(decision) ? 'the run' : person;
      const why = reason === undefined ? '' : `: ${shortCommit(reason)}`;
      return [{ verb: decision.kind, task, rest: `by ${by}${why}` }];
    }
  }
}
