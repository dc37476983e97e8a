import { z } from 'zod';
import { type Stage, stages } from '../model/review.ts';
import { limits } from '../plan/limits.ts';
import {
  autoOr,
  boolean,
  choice,
  duration,
  optional,
  section,
  text,
  texts,
  whole,
} from './values.ts';

/** What a layer may say about judging and landing; see `schema.ts`. */

const gateHint = 'Give at least one command, or write "gate: none" to say that there is no gate.';
const commands = (error: string) => texts(error).refine((list) => list.length > 0, { error });

const pattern = text.refine((path) => !/^[/!]/.test(path) && !path.split('/').includes('..'), {
  error: 'Give a pattern of paths inside the repository, such as .github/** or Makefile.',
});
const patterns = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(pattern, { error: 'Give a pattern or a list of patterns.' }),
);

const gate = z.strictObject(
  {
    commands: optional(commands(gateHint)),
    timeout: optional(duration(false)),
    branch: optional(choice(['auto', 'always', 'never'])),
    quick: optional(commands('Give at least one command, or take the key out.')),
    reruns: optional(whole(0, limits.gateRerunsMax)),
    cache: optional(patterns),
    environment: optional(commands('Give at least one command, such as node --version.')),
    recheck: optional(duration(false)),
    slots: optional(autoOr(1, limits.gateSlotsMax)),
  },
  { error: gateHint },
);

const reviewers = texts('Name an agent or a list of agents.')
  .refine((list) => list.length > 0, { error: 'Name at least one agent, or take the key out.' })
  .refine((list) => new Set(list).size === list.length, { error: 'Name each reviewer once.' });

const retries = optional(whole(0, limits.verdictRetriesMax));

const stagesHint = `List stages in the order ${stages.join(', ')}, each once.`;
const needed = ['work', 'land'] as const;

/** Order and completeness are a matter of one list; what else a stage needs is looked at when all layers are there. */
const pipeline = z
  .array(z.enum(stages, { error: `Write ${stages.join(', ')}.` }), { error: stagesHint })
  .refine(isInOrder, { error: stagesHint })
  .refine((list) => needed.every((stage) => list.includes(stage)), {
    error: 'Put both work and land into it: no task goes without them.',
  });

function isInOrder(list: readonly Stage[]): boolean {
  return list.every((stage, at) => at === 0 || stages.indexOf(stage) > before(list, at));
}

function before(list: readonly Stage[], at: number): number {
  const stage = list[at - 1];
  return stage === undefined ? -1 : stages.indexOf(stage);
}

export const judgingShape = {
  gate: optional(gate),
  protect: optional(patterns),
  rules: section({
    tests: optional(choice(['guard', 'off'])),
    max_files: optional(whole(1, limits.ruleCountMax)),
    max_lines: optional(whole(1, limits.ruleCountMax)),
  }),
  review: section(
    {
      agent: optional(reviewers),
      person: optional(boolean),
      rounds: optional(whole(1, limits.reviewRoundsMax)),
      retries,
    },
    'Write a map such as { agent: codex, rounds: 3 }.',
  ),
  critique: section(
    {
      agent: optional(text),
      improver: optional(text),
      rounds: optional(whole(1, limits.critiqueRoundsMax)),
      retries,
    },
    'Write a map such as { agent: codex, rounds: 2 }.',
  ),
  pipeline: optional(
    z.record(text, pipeline, {
      error: 'Give a map of task types to lists of stages, such as { docs: [work, land] }.',
    }),
  ),
};

export const landingShape = {
  train: section({
    batch: optional(autoOr(1, limits.trainBatchMax)),
    style: optional(choice(['merge', 'squash', 'rebase'])),
  }),
  delivery: section(
    {
      how: optional(choice(['land', 'branch', 'pr', 'stack'])),
      remote: optional(text),
      wait: optional(duration(true)),
    },
    'Write a map such as { how: pr, remote: origin }.',
  ),
  verify: section(
    {
      enabled: optional(boolean),
      command: optional(text),
      timeout: optional(duration(false)),
      on_failure: optional(choice(['report', 'fix', 'bisect'])),
    },
    'Write a map such as { enabled: true, command: "npm test" }.',
  ),
};
