import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { agentsToCome } from './keys.ts';
import { parseDuration, parseSize } from './units.ts';

/** A key with nothing behind it reads as if it were not there. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

const quoted = 'Write a text here, in quotes if it looks like a number or like true or false.';
const text = z
  .string({ error: quoted })
  .trim()
  .refine((value) => value !== '', { error: 'Give a value, or take the key out.' });

const whole = (min: number, max: number) => {
  const error = `Give a whole number from ${min} to ${max}.`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const durationHint = 'Give a time with its unit, such as 90s, 10m or 1h30m.';

/** `off` is spelled out where a limit may be none at all. */
const duration = (offAllowed: boolean) =>
  z
    .string({ error: durationHint })
    .transform((value) => (offAllowed && value.trim() === 'off' ? 0 : parseDuration(value)))
    .refine((value) => value !== undefined, { error: durationHint, abort: true })
    .transform((value) => value ?? 0)
    .refine((value) => value > 0 || offAllowed, { error: 'Give a time longer than nothing.' })
    .refine((value) => value <= limits.durationMaxMs, { error: 'Give at most 24d.' });

const sizeHint = 'Give a size with its unit, from 4KB to 16GB, such as 64MB.';
const size = z
  .string({ error: sizeHint })
  .transform((value) => parseSize(value) ?? 0)
  .refine((value) => value >= limits.outputBytesMin && value <= limits.outputBytesMax, {
    error: sizeHint,
  });

/** One text or a list of them. */
const texts = (error: string) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(text, { error }));

const relativePath = text.refine(
  (path) => !path.startsWith('/') && !path.split('/').includes('..'),
  {
    error: 'Give a path inside the repository.',
  },
);

/** Words are never split at spaces, because quoting would be lost. */
const argv = z.preprocess(
  (value) => (typeof value === 'string' && !/\s/.test(value.trim()) ? [value] : value),
  z
    .array(z.string({ error: quoted }), {
      error: 'Give the command as a list of words, such as ["./agent.sh", "--fast"].',
    })
    .refine((words) => (words[0] ?? '').trim() !== '', { error: 'Name the program to start.' }),
);

const commandProfile = z.strictObject({
  use: z.literal('command'),
  command: argv,
  done: optional(z.enum(['exit', 'signal'], { error: 'Write exit or signal.' })),
  prompt: optional(z.enum(['stdin', 'file'], { error: 'Write stdin or file.' })),
  env: optional(
    z.record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'Use letters, digits and "_".' }),
      z.string({ error: quoted }),
      { error: 'Give the variables as a map of names to texts.' },
    ),
  ),
});

const scriptedProfile = z.strictObject({ use: z.literal('scripted'), script: text });

const profile = z.discriminatedUnion('use', [commandProfile, scriptedProfile], {
  error: ({ input }) => {
    const use =
      typeof input === 'object' && input !== null && 'use' in input ? input.use : undefined;
    return agentsToCome.some((name) => name === use)
      ? `Agents of kind "${String(use)}" are not supported yet by this version; use: command runs any program.`
      : 'Write a map with "use: command" or "use: scripted".';
  },
});

const section = <T extends z.ZodRawShape>(shape: T) =>
  optional(z.strictObject(shape, { error: 'Write a map of keys here.' }));

const gateHint = 'Give at least one command, or write "gate: none" to say that there is no gate.';

const gateSchema = z.strictObject(
  {
    commands: optional(texts(gateHint).refine((list) => list.length > 0, { error: gateHint })),
    timeout: optional(duration(false)),
  },
  { error: gateHint },
);

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
      z.record(
        z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, {
          error: 'Name agents with letters, digits, "_" and "-".',
        }),
        profile,
        { error: 'Give the agents as a map of names.' },
      ),
    ),
    gate: optional(gateSchema),
    worktree: section({
      setup: optional(texts('Give a command or a list of commands.')),
      copy: optional(
        z.preprocess(
          (value) => (typeof value === 'string' ? [value] : value),
          z.array(relativePath, { error: 'Give a path or a list of paths.' }),
        ),
      ),
      pool: optional(
        z.union([z.literal('auto'), whole(1, limits.poolMax)], {
          error: `Write auto or a whole number from 1 to ${limits.poolMax}.`,
        }),
      ),
    }),
    retries: optional(whole(0, limits.retriesMax)),
    quarantine: optional(whole(1, limits.quarantineAfterMax)),
    limits: section({
      agent_wall: optional(duration(false)),
      agent_idle: optional(duration(true)),
      agent_start: optional(duration(true)),
      setup_wall: optional(duration(false)),
      output: optional(size),
    }),
    budget: section({
      attempts: optional(whole(1, limits.attemptsMax)),
      wall: optional(duration(false)),
    }),
    train: section({
      style: optional(
        z.literal('merge', {
          error: 'Write merge; other styles are not supported yet by this version.',
        }),
      ),
    }),
  },
  { error: 'Write the config as a map of keys.' },
);

export type LayerValues = z.infer<typeof layerSchema>;
export type ProfileValues = z.infer<typeof profile>;
