import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { judgingShape, landingShape } from './judging-schema.ts';
import { profileSchema } from './profile.ts';
import { parseMoney } from './units.ts';
import {
  autoOr,
  boolean,
  duration,
  money,
  named,
  optional,
  promptFiles,
  relativePath,
  section,
  size,
  text,
  texts,
  tokens,
  whole,
} from './values.ts';

const model = text.refine((value) => !/\s/.test(value), {
  error: 'Give a model, such as sonnet, codex:gpt-5 or codex:gpt-5:high.',
});

/** `P0` and the bare 0 mean the same. */
const byPriority = named(/^[Pp]?[0-4]$/, model, {
  map: 'Give a map of priorities to models, such as { P0: opus }.',
  name: 'Name priorities P0 to P4.',
})
  .refine((map) => new Set(Object.keys(map).map(priorityName)).size === Object.keys(map).length, {
    error: 'Name each priority once; P0 and 0 are the same.',
  })
  .transform((map) =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [priorityName(key), value])),
  );

export function priorityName(key: string): string {
  return `P${key.replace(/^[Pp]/, '')}`;
}

const dollarsHint = 'Give US dollars for a million tokens, such as 3 or 0.25.';
const dollars = z
  .union([z.string(), z.number()], { error: dollarsHint })
  .transform((value) => parseMoney(String(value)) ?? -1)
  .refine((value) => value >= 0 && value <= limits.costMaxUsd, { error: dollarsHint });

/** What is kept in a cache counts as plain input where nothing else is said: never too little. */
const price = z
  .strictObject(
    {
      input: dollars,
      output: dollars,
      cache_read: optional(dollars),
      cache_write: optional(dollars),
    },
    { error: 'Write a map such as { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }.' },
  )
  .transform(({ input, output, cache_read, cache_write }) => ({
    input,
    output,
    cacheRead: cache_read ?? input,
    cacheWrite: cache_write ?? input,
  }));

/**
 * What one layer may say: everything is optional, nothing unknown is let through. The word in `gate: none` is taken
 * out before, so that a slip inside a gate is reported as what it is and not as one of two shapes.
 */
export const layerSchema = z.strictObject(
  {
    target: optional(text),
    jobs: optional(whole(limits.jobsMin, limits.jobsMax)),
    agent: optional(text),
    agents: optional(
      named(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, profileSchema, {
        map: 'Give the agents as a map of names.',
        name: 'Name agents with letters, digits, "_" and "-".',
      }),
    ),
    model: section(
      {
        default: optional(model),
        by_priority: optional(byPriority),
        by_type: optional(
          z.record(z.string(), model, { error: 'Give a map of task types to models.' }),
        ),
      },
      'Write a map such as { default: sonnet, by_priority: { P0: opus } }.',
    ),
    fallback: section(
      {
        agent: optional(text),
        cooldown: optional(whole(1, limits.cooldownMax)),
      },
      'Write a map such as { agent: codex, cooldown: 3 }.',
    ),
    prompts: optional(promptFiles),
    sandbox: optional(
      z.enum(['auto', 'none'], {
        error: 'Write auto or none; write and strict are not supported yet by this version.',
      }),
    ),
    ...judgingShape,
    preflight: optional(boolean),
    worktree: section({
      setup: optional(texts('Give a command or a list of commands.')),
      copy: optional(
        z.preprocess(
          (value) => (typeof value === 'string' ? [value] : value),
          z.array(relativePath, { error: 'Give a path or a list of paths.' }),
        ),
      ),
      pool: optional(autoOr(1, limits.poolMax)),
    }),
    retries: optional(whole(0, limits.retriesMax)),
    retry: section({
      returns: optional(whole(0, limits.retriesMax)),
      provider: optional(whole(0, limits.providerRetriesMax)),
      silent: optional(whole(1, limits.silentTurnsMax)),
    }),
    quarantine: optional(whole(1, limits.quarantineAfterMax)),
    spawn_rate: optional(whole(1, limits.spawnRateMax)),
    wait_for_tasks: optional(duration(true)),
    quota: section({ wait: optional(duration(true)) }),
    limits: section({
      agent_wall: optional(duration(false)),
      agent_idle: optional(duration(true)),
      agent_start: optional(duration(true)),
      agent_linger: optional(duration(false)),
      setup_wall: optional(duration(false)),
      output: optional(size),
    }),
    budget: section({
      attempts: optional(whole(1, limits.attemptsMax)),
      new_tasks: optional(whole(0, limits.attemptsMax)),
      wall: optional(duration(false)),
      tokens: optional(tokens),
      cost: optional(money),
    }),
    prices: optional(z.record(text, price, { error: 'Give a map of models to prices.' })),
    ...landingShape,
  },
  { error: 'Write the config as a map of keys.' },
);
