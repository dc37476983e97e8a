import type { Event } from '../model/event.ts';
import { printable } from './printable.ts';
import { bad, type Line } from './progress-line.ts';
import { critiqueSays, critiqueStarts, reviewSays, reviewStarts } from './review-text.ts';

/** The lines of an event that is about a review, or about the look at a task before any work. */
export function reviewLines(event: Event): Line[] {
  switch (event.type) {
    case 'review-started':
      return [
        { verb: 'review', task: event.id, rest: printable(reviewStarts(event)), paint: 'cyan' },
      ];
    case 'review-ended': {
      const { id, result } = event;
      if (!result.ok) return [bad('unclear', id, result.failure, 'yellow')];
      const good = result.verdict === 'approved';
      const rest = printable(reviewSays(event));
      return [
        { verb: good ? 'approved' : 'changes', task: id, rest, paint: good ? 'green' : 'yellow' },
      ];
    }
    case 'critique-started':
      return [
        { verb: 'critique', task: event.id, rest: printable(critiqueStarts(event)), paint: 'cyan' },
      ];
    case 'critique-ended': {
      const { id, result } = event;
      if (!result.ok) return [bad('unclear', id, result.failure, 'yellow')];
      return [{ verb: 'critique', task: id, rest: printable(critiqueSays(event)) }];
    }
    default:
      return [];
  }
}
