import { z } from 'zod';
import { limits } from '../model/limits.ts';
import { optional, quoted } from './document.ts';

const bestOfRule = `Give the number of variants, 1 to ${limits.variantsMax}.`;

const bestOf = z
  .int({ error: bestOfRule })
  .min(1, { error: bestOfRule })
  .max(limits.variantsMax, { error: bestOfRule });

const agents = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(z.string({ error: quoted }).trim().min(1, { error: 'Name an agent.' }), {
    error: 'Name the agents as a list.',
  }),
);

const rule = `Give a number from 1 to ${limits.variantsMax}, or a map such as { best_of: 3, agents: [claude, codex] }.`;

const fields = {
  best_of: optional(bestOf),
  agents: optional(agents),
  choose: optional(z.enum(['auto', 'person'], { error: 'Write auto or person.' })),
};

/** Variants of a task or of a type of tasks: a number, or a map. Each of several agents makes one variant. */
export const attemptsSchema = z
  .preprocess(
    (value) => (typeof value === 'number' ? { best_of: value } : value),
    z
      .looseObject(fields, { error: rule })
      .refine((value) => Object.keys(value).every((key) => key in fields), { error: rule }),
  )
  .transform(({ best_of, agents: named, choose }) => ({
    best_of: best_of ?? named?.length ?? 1,
    agents: named,
    choose,
  }))
  .refine((value) => value.best_of <= limits.variantsMax, { error: bestOfRule });
