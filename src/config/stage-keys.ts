import { limits } from '../model/limits.ts';
import { targetKey } from './key.ts';
import { agentName, boolean, pipelines, reviewers, whole } from './values.ts';

/** Keys of the stages that a task passes. */
export const stageKeys = {
  review: {
    reviewers: targetKey('review.agent', reviewers, {
      default: [],
      doc: 'Agent or agents that review work before it queues; all of them must approve',
    }),
    person: targetKey('review.person', boolean, {
      default: false,
      doc: '`true` requires your approval of all work, with `ym approve`',
    }),
    rounds: targetKey('review.rounds', whole(1, limits.reviewRoundsMax), {
      default: limits.reviewRoundsDefault,
      doc: `Rounds of review and fixes before you are asked, 1 to ${limits.reviewRoundsMax}`,
    }),
    retries: targetKey('review.retries', whole(0, limits.verdictRetriesMax), {
      default: limits.verdictRetriesDefault,
      doc: `Retries of a reviewer that returns no verdict, 0 to ${limits.verdictRetriesMax}`,
    }),
  },
  critique: {
    critic: targetKey('critique.agent', agentName, {
      doc: 'Agent that checks the description of each task before work on it starts',
    }),
    improver: targetKey('critique.improver', agentName, {
      shown: 'the agent of the task',
      doc: 'Agent that rewrites descriptions that are not clear',
    }),
    rounds: targetKey('critique.rounds', whole(1, limits.critiqueRoundsMax), {
      default: limits.critiqueRoundsDefault,
      doc: `Rounds of critique and rewriting, 1 to ${limits.critiqueRoundsMax}`,
    }),
    retries: targetKey('critique.retries', whole(0, limits.verdictRetriesMax), {
      default: limits.verdictRetriesDefault,
      doc: `Retries of a critic that returns no verdict, 0 to ${limits.verdictRetriesMax}`,
    }),
  },
  tests: {
    agent: targetKey('tests.agent', agentName, {
      shown: 'the agent of the task',
      doc: 'Agent that writes the failing tests in the stage `tests` of a `pipeline`; the agent of the task makes them pass',
    }),
  },
  pipelines: targetKey('pipeline', pipelines, {
    default: {},
    shown: 'every stage that is set up',
    doc: 'Stages by task type, or `default` for all other types: some of `critique`, `tests`, `work`, `gate`, `review`, `land`, in this order',
  }),
} as const;
