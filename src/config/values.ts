import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { parseDuration, parseMoney, parseSize, parseTokens } from './units.ts';

/** The kinds of values that keys take. Messages say how to fix a value; what is wrong with it is said from the value. */

/** A key with nothing behind it reads as if it were not there. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

export const quoted =
  'Write a text here, in quotes if it looks like a number or like true or false.';

export const text = z
  .string({ error: quoted })
  .trim()
  .refine((value) => value !== '', { error: 'Give a value, or take the key out.' });

export const whole = (min: number, max: number) => {
  const error = `Give a whole number from ${min} to ${max}.`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

export const boolean = z.boolean({ error: 'Write true or false, without quotes.' });

/** One of some words. */
export const choice = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `Write ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.` });

/** The word `auto`, or a number. */
export const autoOr = (min: number, max: number) =>
  z.union([z.literal('auto'), whole(min, max)], {
    error: `Write auto or a whole number from ${min} to ${max}.`,
  });

const durationHint = 'Give a time with its unit, such as 90s, 10m or 1h30m.';

/** `off` is spelled out where a limit may be none at all. */
export const duration = (offAllowed: boolean) =>
  z
    .string({ error: durationHint })
    .transform((value) => (offAllowed && value.trim() === 'off' ? 0 : parseDuration(value)))
    .refine((value) => value !== undefined, { error: durationHint, abort: true })
    .transform((value) => value ?? 0)
    .refine((value) => value > 0 || offAllowed, { error: 'Give a time longer than nothing.' })
    .refine((value) => value <= limits.durationMaxMs, { error: 'Give at most 24d.' });

const sizeHint = 'Give a size with its unit, from 4KB to 16GB, such as 64MB.';
export const size = z
  .string({ error: sizeHint })
  .transform((value) => parseSize(value) ?? 0)
  .refine((value) => value >= limits.outputBytesMin && value <= limits.outputBytesMax, {
    error: sizeHint,
  });

/** A number, or a text that is read as one with its unit. */
const amount = (read: (text: string) => number | undefined, most: number, error: string) =>
  z
    .union([z.string(), z.number()], { error })
    .transform((value) => read(String(value)) ?? 0)
    .refine((value) => value > 0 && value <= most, { error });

export const tokens = amount(
  parseTokens,
  limits.tokensMax,
  'Give a count of tokens, such as 2M, 500k or 40000.',
);

export const money = amount(
  parseMoney,
  limits.costMaxUsd,
  'Give an amount of US dollars, such as 20USD, $20 or 0.50.',
);

/** One text or a list of them. */
export const texts = (error: string) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(text, { error }));

export const relativePath = text.refine(
  (path) => !path.startsWith('/') && !path.split('/').includes('..'),
  {
    error: 'Give a path inside the repository.',
  },
);

export const promptFiles = texts('Give a file or a list of files.').refine(
  (list) => list.length > 0,
  { error: 'Name at least one file, or take the key out.' },
);

/** Words are never split at spaces, because quoting would be lost. */
export const words = (error: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' && !/\s/.test(value.trim()) ? [value] : value),
    z.array(z.string({ error: quoted }), { error }),
  );

/** A map whose keys are names of the user's choice. */
export const named = <T extends z.ZodType>(
  names: RegExp,
  values: T,
  hints: { readonly map: string; readonly name: string },
) =>
  z.record(z.string().regex(names), values, {
    error: ({ code }) => (code === 'invalid_key' ? hints.name : hints.map),
  });

export const section = <T extends z.ZodRawShape>(shape: T, error = 'Write a map of keys here.') =>
  optional(z.strictObject(shape, { error }));
