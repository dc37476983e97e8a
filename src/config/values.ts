import { z } from 'zod';
import { attemptsSchema } from '../document/attempts.ts';
import { optional, quoted } from '../document/document.ts';
import { didYouMean, nearest } from '../graph/nearest.ts';
import { parseDuration } from '../model/duration.ts';
import { hostRule } from '../model/host-rule.ts';
import { limits } from '../model/limits.ts';
import { type Stage, stages } from '../model/review.ts';
import { storeAddress } from '../model/store-address.ts';

/** Form in which a value is typed on the command line or in a variable; see `valueFrom`. */
export type KeyType =
  | 'text'
  | 'number'
  | 'choice'
  | 'boolean'
  | 'duration'
  | 'size'
  | 'tokens'
  | 'money'
  | 'list'
  | 'map';

/**
 * A kind of value that keys take. The messages of a schema say how to fix a value; `problemsOf` says what is wrong
 * with it.
 */
export interface Kind<S extends z.ZodType = z.ZodType> {
  readonly type: KeyType;
  /** Built on first use: a config sets few keys, and building the schemas of all keys takes longer than reading it. */
  readonly schema: S;
  /** Of a map: how its entries are read. */
  readonly entry?: KeyType;
  /** True if the value names one agent or several. */
  readonly namesAgent?: true;
}

export function kind<S extends z.ZodType>(
  type: KeyType,
  build: () => S,
  more: Pick<Kind, 'entry' | 'namesAgent'> = {},
): Kind<S> {
  const schema = once(build);
  return {
    ...more,
    type,
    get schema() {
      return schema();
    },
  };
}

/** Remedy for an entry of a map whose `use` names no kind. */
export function useHint(uses: readonly string[], input: unknown): string {
  const use = typeof input === 'object' && input !== null && 'use' in input ? input.use : '';
  const near = nearest(String(use), uses);
  return `${didYouMean(near)}Write a map with "use:" and one of ${uses.join(', ')}.`;
}

export const withDefault = <S extends z.ZodType>({ schema }: Kind<S>, value: z.input<S>) =>
  z.preprocess((input) => input ?? undefined, schema.prefault(value));

/** Returns the value of the first call. */
export function once<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => {
    built ??= build();
    return built;
  };
}

const textSchema = z
  .string({ error: quoted })
  .trim()
  .refine((value) => value !== '', { error: 'Give a value, or remove the key.' });

export const text = kind('text', () => textSchema);
export const agentName = kind('text', () => textSchema, { namesAgent: true });
export const boolean = kind('boolean', () =>
  z.boolean({ error: 'Write true or false, without quotes.' }),
);

export const model = kind('text', () =>
  textSchema.refine((value) => !/\s/.test(value), {
    error: 'Give a model, such as sonnet, codex:gpt-5 or codex:gpt-5:high.',
  }),
);

const wholeSchema = (min: number, max: number) => {
  const error = `Give a whole number from ${min} to ${max}.`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
export const whole = (min: number, max: number) => kind('number', () => wholeSchema(min, max));

export const choice = <const T extends readonly [string, ...string[]]>(
  options: T,
  error = `Write ${options.slice(0, -1).join(', ')} or ${options.at(-1)}.`,
) => kind('choice', () => z.enum(options, { error }));

export const autoOr = (min: number, max: number) => {
  const error = `Write auto or a whole number from ${min} to ${max}.`;
  return kind('choice', () => z.union([z.literal('auto'), wholeSchema(min, max)], { error }));
};

const durationHint = 'Give a time with its unit, such as 90s, 10m or 1h30m.';
const durationSchema = (offAllowed: boolean) =>
  z
    .string({ error: durationHint })
    .meta({ pattern: `^${offAllowed ? '(off|' : '('}(\\d+(d|h|ms|m|s))+)$` })
    .transform((value) => (offAllowed && value.trim() === 'off' ? 0 : parseDuration(value)))
    .refine((value) => value !== undefined, { error: durationHint, abort: true })
    .transform((value) => value ?? 0)
    .refine((value) => value > 0 || offAllowed, { error: 'Give a time longer than 0.' })
    .refine((value) => value <= limits.durationMaxMs, { error: 'Give at most 24d.' });
export const duration = kind('duration', () => durationSchema(false));
export const durationOrOff = kind('duration', () => durationSchema(true));

const sizeHint = 'Give a size with its unit, from 4KB to 16GB, such as 64MB.';
export const size = kind('size', () =>
  z
    .string({ error: sizeHint })
    .transform((value) => parseSize(value) ?? 0)
    .refine((value) => value >= limits.outputBytesMin && value <= limits.outputBytesMax, {
      error: sizeHint,
    }),
);

const amount = (
  read: (text: string) => number | undefined,
  error: string,
  min: number,
  max: number,
) =>
  z
    .union([z.string(), z.number()], { error })
    .transform((value) => read(String(value)) ?? -1)
    .refine((value) => value >= min && value <= max, { error });

/** 0 is allowed; it turns the feature off. */
export const tokensOrNone = kind('tokens', () =>
  amount(parseTokens, 'Give a count of tokens, such as 10000 or 20k, or 0.', 0, limits.tokensMax),
);
export const tokens = kind('tokens', () =>
  amount(parseTokens, 'Give a count of tokens, such as 2M, 500k or 40000.', 1, limits.tokensMax),
);
export const money = kind('money', () =>
  amount(
    parseMoney,
    'Give an amount of US dollars, such as 20USD, $20 or 0.50.',
    Number.MIN_VALUE,
    limits.costMaxUsd,
  ),
);

const listOf = <S extends z.ZodType>(item: S, error: string) =>
  z
    .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item, { error }))
    .meta({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] });

export const texts = (error: string) => kind('list', () => listOf(textSchema, error));

export const someTexts = (error: string, ifEmpty = error) =>
  kind('list', () =>
    listOf(textSchema, error).refine((list) => list.length > 0, { error: ifEmpty }),
  );

export const paths = kind('list', () =>
  listOf(
    textSchema.refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
      error: 'Give a path inside the repository.',
    }),
    'Give a path or a list of paths.',
  ),
);

const hostHint =
  'Give host names such as api.example.com, *.example.com or localhost:8080, without https://.';
export const hosts = kind('list', () =>
  listOf(
    textSchema.refine((host) => hostRule(host) !== undefined, { error: hostHint }),
    hostHint,
  ),
);

/** Patterns of paths, always with those of `alwaysIn` at their end. */
export const patterns = (...alwaysIn: string[]) =>
  kind('list', () =>
    listOf(
      textSchema.refine((path) => !/^[/!]/.test(path) && !path.split('/').includes('..'), {
        error: 'Give a pattern of paths inside the repository, such as .github/** or Makefile.',
      }),
      'Give a pattern or a list of patterns.',
    ).transform((list) => [...new Set([...list, ...alwaysIn])]),
  );

export const promptFiles = someTexts(
  'Give a file or a list of files.',
  'Name at least one file, or remove the key.',
);

const agentList = someTexts(
  'Name an agent or a list of agents.',
  'Name at least one agent, or remove the key.',
);
export const someAgents = kind('list', () => agentList.schema, { namesAgent: true });
export const reviewers = kind(
  'list',
  () =>
    agentList.schema.refine((list) => new Set(list).size === list.length, {
      error: 'Name each reviewer once.',
    }),
  { namesAgent: true },
);

/** Program and arguments. A text is never split at blanks, because quoting would be lost. */
export const argv = (error: string) =>
  kind('list', () =>
    z.preprocess(
      (value) => (typeof value === 'string' && !/\s/.test(value.trim()) ? [value] : value),
      z.array(z.string({ error: quoted }), { error }),
    ),
  );

/** A map whose keys the user chooses. */
export const mapOf = <S extends z.ZodType>(
  entry: Kind<S>,
  hints: { readonly map: string; readonly name?: string; readonly names?: RegExp },
) =>
  kind(
    'map',
    () =>
      z.record(z.string().regex(hints.names ?? /\S/), entry.schema, {
        error: ({ code }) => (code === 'invalid_key' ? (hints.name ?? hints.map) : hints.map),
      }),
    { entry: entry.type },
  );

/** Attempts side by side at tasks of a type. */
export const attemptsOfType = kind('map', () => attemptsSchema);

const anyText = kind('text', () => z.string({ error: quoted }));
export const variables = mapOf(anyText, {
  map: 'Give the variables as a map of names to texts.',
  name: 'Name variables with letters, digits and "_".',
  names: /^[A-Za-z_][A-Za-z0-9_]*$/,
});

export const variableName = (error: string) =>
  kind('text', () => textSchema.refine((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name), { error }));

/** Address of a service, without a login in it. */
export const address = (error: string) =>
  kind('text', () =>
    textSchema.refine(
      (value) => {
        if (!URL.canParse(value)) return false;
        const { protocol, username, password, search, hash } = new URL(value);
        return /^https?:$/.test(protocol) && [username, password, search, hash].join('') === '';
      },
      { error },
    ),
  );

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** Address that secrets or tasks are sent to: https, or this machine. */
export const secureUrl = (error: string, plain: string) =>
  kind('text', () =>
    textSchema
      .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
        error,
        abort: true,
      })
      .refine((value) => !value.startsWith('http:') || isLoopback(new URL(value).hostname), {
        error: plain,
      }),
  );

/** Place of a store, as `storeAddress` reads it. */
export const storePlace = kind('text', () =>
  textSchema.refine((value) => storeAddress(value) !== undefined, {
    error: 'Write sqlite, or postgres://USER@HOST/DATABASE; ?schema=NAME chooses another schema.',
  }),
);

/** `p0` and the bare 0 mean `P0`. */
export const priorityName = (key: string): string => `P${key.replace(/^[Pp]/, '')}`;

const priorityModels = mapOf(model, {
  map: 'Give a map of priorities to models, such as { P0: opus }.',
  name: 'Name priorities P0 to P4.',
  names: /^[Pp]?[0-4]$/,
});
export const modelsByPriority = kind(
  'map',
  () =>
    priorityModels.schema
      .refine(
        (map) => new Set(Object.keys(map).map(priorityName)).size === Object.keys(map).length,
        {
          error: 'Name each priority once; P0 and 0 are the same.',
        },
      )
      .transform((map) =>
        Object.fromEntries(Object.entries(map).map(([key, value]) => [priorityName(key), value])),
      ),
  { entry: 'text' },
);

const dollars = amount(
  parseMoney,
  'Give US dollars for a million tokens, such as 3 or 0.25.',
  0,
  limits.costMaxUsd,
);
const priceShape = {
  input: dollars,
  output: dollars,
  cache_read: optional(dollars),
  cache_write: optional(dollars),
};
export const priceFields = Object.keys(priceShape);

/** Cached input costs as much as plain input unless the config has a price for it. */
const price = kind('map', () =>
  z
    .strictObject(priceShape, {
      error: 'Write a map such as { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }.',
    })
    .transform(({ input, output, cache_read, cache_write }) => ({
      input,
      output,
      cacheRead: cache_read ?? input,
      cacheWrite: cache_write ?? input,
    })),
);
export const prices = mapOf(price, { map: 'Give a map of models to prices.' });

const stagesHint = `List stages in the order ${stages.join(', ')}, each once.`;
const isInOrder = (list: readonly Stage[]): boolean =>
  list.join() === stages.filter((stage) => list.includes(stage)).join();
const stageList = kind('list', () =>
  z
    .array(z.enum(stages, { error: `Write ${stages.join(', ')}.` }), { error: stagesHint })
    .refine(isInOrder, { error: stagesHint })
    .refine((list) => list.includes('work') && list.includes('land'), {
      error: 'Include both work and land: no task goes without them.',
    }),
);
export const pipelines = mapOf(stageList, {
  map: 'Give a map of task types to lists of stages, such as { docs: [work, land] }.',
});

const bytes = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const;

/** `64MB`, `1GB`, `4096B`; a step from one unit to the next is 1024. Bytes, or none if it is not a size. */
export function parseSize(text: string): number | undefined {
  const parts = /^(\d+)\s*(B|KB|MB|GB)$/i.exec(text.trim());
  if (parts === null) return undefined;
  const unit = (parts[2] ?? '').toUpperCase() as keyof typeof bytes;
  return Number(parts[1]) * bytes[unit];
}

export function formatSize(size: number): string {
  const unit = (['GB', 'MB', 'KB'] as const).find((name) => size > 0 && size % bytes[name] === 0);
  return unit === undefined ? `${size}B` : `${size / bytes[unit]}${unit}`;
}

const thousands = { '': 1, k: 1_000, m: 1_000_000, g: 1_000_000_000 } as const;

/** `2M`, `500k`, `1.5M`, `40000`: a count of tokens, or none if it is not one. */
export function parseTokens(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)\s*([kmg]?)$/i.exec(text.trim());
  if (parts === null) return undefined;
  const unit = (parts[2] ?? '').toLowerCase() as keyof typeof thousands;
  const count = Number(parts[1]) * thousands[unit];
  // A remaining fraction is a mistake of the user, unless it is only a rounding error, as in 1.1M.
  const whole = Math.round(count);
  return Math.abs(count - whole) < 1e-3 ? whole : undefined;
}

/** `20USD`, `$20`, `0.50`: US dollars, or none if it is not an amount of them. */
export function parseMoney(text: string): number | undefined {
  const trimmed = text.trim();
  const parts =
    /^\$\s*(\d+(?:\.\d+)?)$/.exec(trimmed) ?? /^(\d+(?:\.\d+)?)\s*(?:USD)?$/i.exec(trimmed);
  return parts === null ? undefined : Number(parts[1]);
}
