import { limits } from '../model/limits.ts';
import { key } from './key.ts';
import {
  agentName,
  attemptsOfType,
  choice,
  duration,
  durationOrOff,
  mapOf,
  someAgents,
  whole,
} from './values.ts';

/** Variants of a task that agents work on side by side. */
const sideBySide = {
  best_of: key('attempts.best_of', whole(1, limits.variantsMax), {
    default: 1,
    doc: `Variants of each task that agents work on side by side, 1 to ${limits.variantsMax}; one of them lands`,
  }),
  agents: key('attempts.agents', someAgents, {
    default: [],
    shown: 'the agent of the task',
    doc: 'Agents of the variants, in turn',
  }),
  choose: key('attempts.choose', choice(['auto', 'person']), {
    default: 'auto',
    doc: 'Who chooses between finished variants: `auto` is `attempts.chooser`, else the first reviewer, else the smallest change; `person` is you, with `ym choose`',
  }),
  chooser: key('attempts.chooser', agentName, {
    shown: 'the first of `review.agent`',
    doc: 'Agent that compares finished variants',
  }),
  waitMs: key('attempts.wait', duration, {
    shown: 'until all have ended',
    doc: 'Longest wait for the other variants after the first one has finished',
  }),
  byType: key(
    'attempts.by_type',
    mapOf(attemptsOfType, {
      map: 'Give a map of task types to numbers of variants, such as { bug: 3 }.',
    }),
    {
      default: {},
      doc: 'Variants by task type: a number, or `{ best_of, agents, choose }`',
    },
  ),
} as const;

/** Keys about attempts at tasks; see `keys.ts`. */
export const attemptKeys = {
  attempts: sideBySide,
  ask: {
    timeoutMs: key('ask.timeout', durationOrOff, {
      default: 0,
      doc: 'Time that a question of an agent waits for your answer; `off` keeps it open, and a run without a terminal that has nothing else to do ends after 10 minutes',
    }),
    onTimeout: key('ask.on_timeout', choice(['decide', 'block']), {
      default: 'decide',
      doc: 'After that time: `decide` lets the agent decide itself and say what it assumed, `block` saves its work and blocks the task',
    }),
  },
  retries: key('retries', whole(0, limits.retriesMax), {
    default: limits.retriesDefault,
    doc: 'Retries per task in one run',
  }),
  quarantine: key('quarantine', whole(1, limits.quarantineAfterMax), {
    default: limits.quarantineAfterDefault,
    doc: 'Failed attempts in a row, across runs, after which a task is no longer started',
  }),
  retry: {
    returns: key('retry.returns', whole(0, limits.retriesMax), {
      default: limits.returnsDefault,
      doc: 'Times that failed work goes back to the same conversation before a fresh attempt starts; a turn that changes nothing starts one immediately',
    }),
    provider: key('retry.provider', whole(0, limits.providerRetriesMax), {
      default: limits.providerRetriesDefault,
      doc: 'Retries in a row of a turn that the agent’s service cut short',
    }),
    silent: key('retry.silent', whole(1, limits.silentTurnsMax), {
      default: limits.silentTurnsDefault,
      doc: 'Turns in a row without an end signal before the agent is asked for one a last time',
    }),
  },
} as const;
