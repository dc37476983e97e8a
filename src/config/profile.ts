import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { type HarnessName, harnessNames } from './keys.ts';
import {
  duration,
  named,
  optional,
  promptFiles,
  quoted,
  text,
  texts,
  whole,
  words,
} from './values.ts';

/** What completes an attempt: exit status 0 with changes, or a word of the agent. */
export type Done = 'exit' | 'signal';

/** What any profile may say, whatever it uses. */
interface Any {
  readonly done: Done;
  readonly env: Readonly<Record<string, string>>;
  /** `model` or `model:reasoning`. */
  readonly model?: string;
  /** Files with the words for this agent, instead of those for all. */
  readonly prompts?: readonly string[];
  readonly account?: string;
  readonly count?: number;
  readonly types?: readonly string[];
  readonly labels?: readonly string[];
  readonly role?: 'planner' | 'executor';
  readonly waitMs?: number;
}

/** An agent as the config describes it, by the kind it uses. */
export type Profile =
  | (Any & {
      readonly use: HarnessName;
      /** What to start instead of the program of that name on the PATH. */
      readonly binary?: string;
      readonly args: readonly string[];
    })
  | (Any & { readonly use: 'acp'; readonly command: readonly string[] })
  | (Any & {
      readonly use: 'command';
      readonly command: readonly string[];
      readonly prompt: 'stdin' | 'file';
    })
  | (Any & { readonly use: 'scripted'; readonly script: string });

const argv = words('Give the command as a list of words, such as ["./agent.sh", "--fast"].').refine(
  (list) => (list[0] ?? '').trim() !== '',
  { error: 'Name the program to start.' },
);

const environment = named(/^[A-Za-z_][A-Za-z0-9_]*$/, z.string({ error: quoted }), {
  map: 'Give the variables as a map of names to texts.',
  name: 'Name variables with letters, digits and "_".',
});

const model = text.refine((value) => !/\s/.test(value), {
  error: 'Give a model, such as sonnet or sonnet:high.',
});

const someTexts = (error: string) => texts(error).refine((list) => list.length > 0, { error });

const shared = {
  done: optional(z.enum(['exit', 'signal'], { error: 'Write exit or signal.' })),
  env: optional(environment),
  model: optional(model),
  prompts: optional(promptFiles),
  account: optional(text),
  count: optional(whole(1, limits.jobsMax)),
  types: optional(someTexts('Give a type of task or a list of them, such as [docs, test].')),
  labels: optional(someTexts('Give a label or a list of them, such as ["area:web"].')),
  role: optional(z.enum(['planner', 'executor'], { error: 'Write planner or executor.' })),
  wait: optional(duration(false)),
};

const kinds = [
  z.strictObject({
    use: z.enum(harnessNames),
    binary: optional(text),
    args: optional(words('Give the words as a list, such as ["--verbose"].')),
    ...shared,
  }),
  z.strictObject({ use: z.literal('acp'), command: argv, ...shared }),
  z.strictObject({
    use: z.literal('command'),
    command: argv,
    prompt: optional(z.enum(['stdin', 'file'], { error: 'Write stdin or file.' })),
    ...shared,
  }),
  z.strictObject({ use: z.literal('scripted'), script: text, ...shared }),
] as const;

const uses: readonly string[] = [...harnessNames, 'acp', 'command', 'scripted'];

export const profileSchema = z
  .discriminatedUnion('use', kinds, {
    error: `Write a map with "use:" and one of ${uses.join(', ')}.`,
  })
  .refine(({ role, types }) => role !== 'planner' || (types ?? ['plan']).includes('plan'), {
    path: ['types'],
    error: 'A planner takes only tasks of type plan; take "types" out.',
  });

type ProfileValues = z.infer<typeof profileSchema>;

/** What the profile says, and the defaults of its kind. */
export function settledProfile(given: ProfileValues): Profile {
  const { env = {}, done, wait: waitMs, ...said } = withoutAbsent(given);
  const rest = waitMs === undefined ? { env } : { env, waitMs };
  switch (said.use) {
    case 'acp':
      return { ...said, ...rest, done: done ?? 'signal' };
    case 'command':
      return { ...said, ...rest, done: done ?? 'exit', prompt: said.prompt ?? 'stdin' };
    case 'scripted':
      return { ...said, ...rest, done: done ?? 'exit' };
    default:
      return { ...said, ...rest, done: done ?? 'signal', args: said.args ?? [] };
  }
}

/** The profile of a coding agent that nobody described: its name alone is enough. */
export function plainProfile(use: HarnessName): Profile {
  return { use, args: [], env: {}, done: 'signal' };
}

type Said<T> = T extends unknown
  ? { [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> : T[K] }
  : never;

/** Keys that the schema left behind without a value are taken away. */
function withoutAbsent<T extends object>(values: T): Said<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // Only keys that were optional can have been taken away.
  return Object.fromEntries(entries) as Said<T>;
}

/** The keys of a profile, by the kind it uses; all of them where that is not known. */
export function profileKeys(use: unknown): readonly string[] {
  const kind = kinds.find(({ shape }) => shape.use.safeParse(use).success);
  if (kind !== undefined) return Object.keys(kind.shape);
  return [...new Set(kinds.flatMap(({ shape }) => Object.keys(shape)))];
}

const listKeys: ReadonlySet<string> = new Set(['command', 'args', 'prompts', 'types', 'labels']);

/** What kind of value a key of a profile takes, or none for a key that no profile has. */
export function profileKeyType(key: string): 'text' | 'number' | 'list' | 'map' | undefined {
  if (!profileKeys(undefined).includes(key)) return undefined;
  if (key === 'env') return 'map';
  if (key === 'count') return 'number';
  return listKeys.has(key) ? 'list' : 'text';
}

/** What to say of a key that profiles have, but not of this kind. */
export function misplacedKey(
  use: unknown,
  key: string,
): { readonly problem: string; readonly remedy: string } | undefined {
  if (profileKeys(use).includes(key) || !profileKeys(undefined).includes(key)) return undefined;
  const isHarness = harnessNames.some((name) => name === use);
  const remedy =
    isHarness && key === 'command'
      ? 'Give another program as "binary" and further words as "args".'
      : !isHarness && (key === 'binary' || key === 'args') && use !== 'scripted'
        ? 'Give the program and its words as "command".'
        : `Take it out; known here: ${profileKeys(use).join(', ')}.`;
  return { problem: `"${key}" has no effect with "use: ${String(use)}"`, remedy };
}
