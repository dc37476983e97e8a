import type { Say } from './invariants.ts';
import type { World } from './world.ts';

/** The run answers or gives up on a question only after the time limit of the config, in the way that it says. */
export function answeredInTime({ events, ask }: World, say: Say): void {
  const asked = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'turn-ended') asked.set(event.id, event.at);
    const isAnswer = event.type === 'task-decided' && event.decision.kind === 'answer';
    if (isAnswer && event.decision.by === 'run') {
      if (ask?.onTimeout !== 'decide') say(`${event.id} was answered by a run that must not`);
      check(event.id, event.at);
    }
    const isGivenUp = event.type === 'attempt-given-up';
    if (isGivenUp && event.failure.kind === 'question-unanswered') {
      if (ask?.onTimeout !== 'block') say(`${event.id} was blocked by a run that must not`);
      check(event.id, event.at);
    }
  }

  function check(id: string, at: number): void {
    const waited = at - (asked.get(id) ?? at);
    if (waited < (ask?.timeoutMs ?? 0)) say(`the question of ${id} was over after ${waited} ms`);
  }
}
