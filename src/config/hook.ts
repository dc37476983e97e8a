import { z } from 'zod';
import { optional } from '../document/document.ts';
import { type HookPoint, hookPoints, isHookPoint } from '../model/hook.ts';
import { limits } from '../model/limits.ts';
import {
  argv,
  duration,
  durationOrOff,
  kind,
  mapOf,
  once,
  secureUrl,
  someTexts,
  useHint,
  variableName,
  whole,
  withDefault,
} from './values.ts';

const pointHint = `Name points: ${Object.keys(hookPoints).join(', ')}.`;
const points = kind('list', () =>
  someTexts(pointHint)
    .schema.refine((names) => names.every(isHookPoint), { error: pointHint })
    .transform((names): readonly HookPoint[] => names.filter(isHookPoint)),
);

const commandHint =
  'Give a shell line, or a program and its arguments as a list, such as ["./notify.sh", "team"].';
const program = argv(commandHint);
/** A text is a line for the shell, a list is a program with its arguments. */
const command = kind('list', () =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? ['/bin/sh', '-c', value] : value),
      program.schema,
    )
    .refine((list) => (list.at(-1) ?? '').trim() !== '' && (list[0] ?? '').trim() !== '', {
      error: commandHint,
    })
    .meta({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }),
);

const secret = variableName('Give the name of a variable, such as HOOK_SECRET, not the secret.');
const addressName = variableName('Give the name of a variable that holds the address.');

const kinds = once(() => {
  const common = {
    on: optional(points.schema),
    types: optional(someTexts('Give a task type or a list of types, such as [bug].').schema),
    labels: optional(someTexts('Give a label or a list of labels, such as ["area:web"].').schema),
    timeout: withDefault(duration, `${limits.hookMs / 1000}s`),
    retries: withDefault(whole(0, limits.hookRetriesMax), limits.hookRetriesDefault),
    digest: withDefault(durationOrOff, 'off'),
    rate: withDefault(whole(1, limits.hookRateMax), limits.hookRateDefault),
  };
  return [
    z.strictObject({ use: z.literal('command'), command: command.schema, ...common }),
    z.strictObject({
      use: z.literal('webhook'),
      url: optional(
        secureUrl(
          'Give the whole address, such as https://example.com/hooks/team.',
          'Use https: titles of tasks and messages of agents would be sent in plain text.',
        ).schema,
      ),
      url_env: optional(addressName.schema),
      secret_env: optional(secret.schema),
      ...common,
    }),
    z.strictObject({ use: z.literal('desktop'), ...common }),
    z.strictObject({ use: z.literal('bell'), ...common }),
  ] as const;
});

const hook = kind('map', () =>
  z
    .discriminatedUnion('use', kinds(), {
      error: ({ input }) => useHint(['command', 'webhook', 'desktop', 'bell'], input),
    })
    .refine(
      (one) => one.use !== 'webhook' || (one.url === undefined) !== (one.url_env === undefined),
      {
        error: 'Give either "url" or "url_env".',
      },
    ),
);

export type Hook = z.output<typeof hook.schema>;

/** The keys of a hook that uses `use`; those of all hooks if there is no such kind. */
export function hookKeys(use: unknown): readonly string[] {
  const fit = kinds().filter(({ shape }) => shape.use.safeParse(use).success);
  return [...new Set((fit.length > 0 ? fit : kinds()).flatMap(({ shape }) => Object.keys(shape)))];
}

export const hooks = mapOf(hook, {
  map: 'Give the hooks as a map of names.',
  name: 'Name hooks with letters, digits, "_" and "-".',
  names: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
});
