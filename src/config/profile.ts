import { z } from 'zod';
import { optional } from '../document/document.ts';
import { limits } from '../model/limits.ts';
import { isPreset, type PresetName, presets } from './preset.ts';
import {
  argv,
  choice,
  duration,
  type KeyType,
  type Kind,
  kind,
  once,
  promptFiles,
  secureUrl,
  someTexts,
  text,
  useHint,
  variableName,
  variables,
  whole,
  withDefault,
} from './values.ts';

/** Coding agents with an adapter of their own. */
export const harnessNames = ['claude', 'codex', 'opencode', 'gemini'] as const;
/** Presets whose agents end their work by a signal, as those with an adapter do. */
const signalPresets = ['qwen', 'goose', 'copilot', 'cursor', 'amp'] as const;
/** Presets whose agents are done when they exit. */
const exitPresets = ['aider'] as const satisfies readonly Exclude<
  PresetName,
  (typeof signalPresets)[number]
>[];
/** All known coding agents, in order of preference; each works by its name, without a profile. */
export const agentNames = [...harnessNames, ...signalPresets, ...exitPresets] as const;
export type AgentName = (typeof agentNames)[number];
export const isKnownAgent = (use: unknown): use is AgentName =>
  agentNames.some((name) => name === use);
export const programOf = (name: AgentName): string =>
  isPreset(name) ? presets[name].binary : name;
/** Coding agents whose command line takes no reasoning effort. */
export const withoutReasoning: ReadonlySet<string> = new Set(['gemini']);

const command = argv('Give the command as a list, such as ["./agent.sh", "--fast"].');
const program = kind('list', () =>
  command.schema.refine((list) => (list[0] ?? '').trim() !== '', {
    error: 'Name the program to start.',
  }),
);

const modelKind = kind('text', () =>
  text.schema.refine((value) => !/\s/.test(value), {
    error: 'Give a model, such as sonnet or sonnet:high.',
  }),
);

const url = secureUrl(
  'Give the whole address, such as https://openrouter.ai/api/v1/chat/completions.',
  'Use https: the key and the tasks would be sent in plain text.',
);

/** The keys of profiles, all kinds together. */
const fields = {
  binary: text,
  args: argv('Give the arguments as a list, such as ["--verbose"].'),
  command: program,
  prompt: choice(['stdin', 'file']),
  script: text,
  url,
  key_env: variableName(
    'Give the name of a variable, such as OPENROUTER_API_KEY, not the key itself.',
  ),
  done: choice(['exit', 'signal']),
  env: variables,
  model: modelKind,
  prompts: promptFiles,
  account: text,
  count: whole(1, limits.jobsMax),
  types: someTexts('Give a task type or a list of types, such as [docs, test].'),
  labels: someTexts('Give a label or a list of labels, such as ["area:web"].'),
  role: choice(['planner', 'executor']),
  wait: duration,
} as const;

/** The schemas of each kind of profile. `done` says what completes an attempt. */
const kinds = once(() => {
  const common = {
    env: withDefault(fields.env, {}),
    model: optional(fields.model.schema),
    prompts: optional(fields.prompts.schema),
    account: optional(fields.account.schema),
    count: optional(fields.count.schema),
    types: optional(fields.types.schema),
    labels: optional(fields.labels.schema),
    role: optional(fields.role.schema),
    wait: optional(fields.wait.schema),
  };
  const signal = { done: withDefault(fields.done, 'signal'), ...common };
  const exit = { done: withDefault(fields.done, 'exit'), ...common };
  const program = { binary: optional(fields.binary.schema), args: withDefault(fields.args, []) };
  return [
    z.strictObject({ use: z.enum([...harnessNames, ...signalPresets]), ...program, ...signal }),
    z.strictObject({ use: z.enum(exitPresets), ...program, ...exit }),
    z.strictObject({ use: z.literal('acp'), command: fields.command.schema, ...signal }),
    z.strictObject({
      use: z.literal('command'),
      command: fields.command.schema,
      prompt: withDefault(fields.prompt, 'stdin'),
      ...exit,
    }),
    z.strictObject({ use: z.literal('scripted'), script: fields.script.schema, ...exit }),
    z.strictObject({
      use: z.literal('http'),
      url: fields.url.schema,
      model: fields.model.schema,
      key_env: optional(fields.key_env.schema),
      prompts: optional(fields.prompts.schema),
      account: optional(fields.account.schema),
    }),
  ] as const;
});

const uses: readonly string[] = [...agentNames, 'acp', 'command', 'scripted', 'http'];

export const profile = kind('map', () =>
  z
    .discriminatedUnion('use', kinds(), {
      error: ({ input }) => useHint(uses, input),
    })
    .refine(
      (one) =>
        one.use === 'http' || one.role !== 'planner' || (one.types ?? ['plan']).includes('plan'),
      { path: ['types'], error: 'A planner takes only tasks of type plan; remove "types".' },
    ),
);

/** An agent as the config describes it. */
export type Profile = z.output<typeof profile.schema>;

/** True for all but plain chat endpoints, which answer single questions and cannot work in a repository. */
export const canWork = (one: Profile): one is Exclude<Profile, { readonly use: 'http' }> =>
  one.use !== 'http';

/** The profile of a coding agent that the config does not describe. */
export function plainProfile(use: AgentName): Profile {
  const none = { args: [], env: {} };
  return use === 'aider' ? { use, ...none, done: 'exit' } : { use, ...none, done: 'signal' };
}

/** The keys of a profile that uses `use`; those of all profiles if there is no such kind. */
export function profileKeys(use: unknown): readonly string[] {
  const found = kinds().find(({ shape }) => shape.use.safeParse(use).success);
  return found === undefined ? ['use', ...Object.keys(fields)] : Object.keys(found.shape);
}

/** Reader for the value of a profile's key, or undefined for a key that no profile has. */
export function profileKeyType(key: string): KeyType | undefined {
  if (key === 'use') return 'text';
  const field: Kind | undefined = Object.entries(fields).find(([name]) => name === key)?.[1];
  return field?.type;
}

/** Explains a key that other kinds of profiles have, but not this one. */
export function misplacedKey(
  use: unknown,
  key: string,
): { readonly problem: string; readonly remedy: string } | undefined {
  if (profileKeys(use).includes(key) || !profileKeys(undefined).includes(key)) return undefined;
  const remedy =
    isKnownAgent(use) && key === 'command'
      ? 'Give another program as "binary" and more arguments as "args".'
      : !isKnownAgent(use) && (key === 'binary' || key === 'args') && use !== 'scripted'
        ? 'Give the program and its arguments as "command".'
        : `Remove it; known here: ${profileKeys(use).join(', ')}.`;
  return { problem: `"${key}" has no effect with "use: ${String(use)}"`, remedy };
}
