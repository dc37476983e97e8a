import type { Command } from '../model/command.ts';
import type { Car } from '../model/event.ts';
import type { RunRecord, TaskRecord } from '../plan/record.ts';

/** What the train asks for now, and when to look again if it can do nothing yet. */
export interface TrainMove {
  readonly command?: Command;
  readonly wakeAt?: number;
}

/** Branches that passed their own gate, in the order they should ride. */
export function queueOf(live: readonly TaskRecord[]): readonly Car[] {
  const waiting: { car: Car; priority: number; since: number; order: number }[] = [];
  for (const { task, attempt, order, standing } of live) {
    if (attempt?.state.id !== 'queued' || standing.id !== 'open') continue;
    const { commit, since } = attempt.state;
    const { number, riders = [] } = attempt;
    const car: Car = { id: task.id, attempt: number, commit };
    waiting.push({
      car: riders.length === 0 ? car : { ...car, riders },
      priority: task.priority,
      since,
      order,
    });
  }
  waiting.sort((a, b) => a.priority - b.priority || a.since - b.since || a.order - b.order);
  return waiting.map(({ car }) => car);
}

/** One candidate at a time: build it from the head of the queue, judge it, land it. */
export function moveTrain(run: RunRecord, queue: readonly Car[], now: number): TrainMove {
  const { candidate } = run;
  if (candidate === undefined) {
    const [head] = queue;
    return head === undefined ? {} : { command: { type: 'couple', cars: [head] } };
  }
  switch (candidate.state.id) {
    case 'built':
      return {
        command: { type: 'judge-candidate', candidate: candidate.id, tree: candidate.tree },
      };
    case 'passed':
      return { command: { type: 'land', candidate: candidate.id } };
    case 'waiting':
      return now >= candidate.state.until
        ? { command: { type: 'land', candidate: candidate.id } }
        : { wakeAt: candidate.state.until };
  }
}
