import { z } from 'zod';
import { troubleByKind } from '../model/trouble.ts';

/* Published shapes of turn results, usage and failures; see `shapes.ts`. */

export const count = z.int().nonnegative();
export const names = z.array(z.string()).readonly();

export const failure = z.looseObject({ kind: z.enum(Object.keys(troubleByKind)) }).meta({
  id: 'failure',
  description: 'Why something did not work. Which further fields there are depends on the kind.',
});

const usage = z
  .strictObject({
    input: count,
    cacheRead: count,
    cacheWrite: count,
    output: count,
    costUsd: z.number().nonnegative().exactOptional(),
  })
  .meta({ id: 'usage' });

const complete = z.strictObject({ id: z.literal('complete') });
const gaveUp = z.strictObject({ id: z.literal('gave-up'), message: z.string() });
const ask = z.strictObject({ id: z.literal('ask'), question: z.string() });
const claim = z.strictObject({ id: z.literal('claim'), ids: names });

const endSignal = z
  .discriminatedUnion('id', [
    complete,
    gaveUp,
    ask,
    claim,
    z.strictObject({ id: z.literal('nothing') }),
  ])
  .meta({ id: 'endSignal' });

export const agentCall = z
  .discriminatedUnion('id', [
    complete,
    gaveUp,
    ask,
    claim,
    z.strictObject({ id: z.literal('report'), about: z.string(), text: z.string() }),
    z.strictObject({ id: z.literal('next'), ids: names }),
  ])
  .meta({ id: 'agentCall' });

const followUp = z
  .strictObject({
    title: z.string(),
    body: z.string().exactOptional(),
    type: z.string().exactOptional(),
    priority: z.int().exactOptional(),
  })
  .meta({ id: 'followUp' });

export const turnFacts = {
  usage: usage.exactOptional(),
  session: z.string().exactOptional(),
  model: z.string().exactOptional(),
  next: names.exactOptional(),
  followUps: z.array(followUp).readonly().exactOptional(),
  answer: z.string().exactOptional(),
};

export const turnResult = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    failed: z.array(z.string()).readonly().exactOptional(),
    tail: z.string(),
    signal: endSignal.exactOptional(),
    ...turnFacts,
  }),
  z.strictObject({ ok: z.literal(false), failure, ...turnFacts }),
]);

const spendNumbers = {
  turns: count,
  landed: count,
  input: count,
  cacheRead: count,
  cacheWrite: count,
  output: count,
  total: count,
  costUsd: z.number().nonnegative(),
  metered: count,
  priced: count,
};

export const spent = z.strictObject(spendNumbers).meta({ id: 'spent' });

export const spend = z
  .strictObject({
    totals: spent,
    byModel: z
      .array(
        z.strictObject({
          model: z.string().nullable(),
          reported: z.literal(true).exactOptional(),
          ...spendNumbers,
        }),
      )
      .readonly()
      .exactOptional(),
    byAgent: z.array(z.strictObject({ agent: z.string(), ...spendNumbers })).readonly(),
  })
  .meta({
    id: 'spend',
    description: 'What turns used: tokens by kind, and cost where it is known.',
  });

export const incidents = {
  pauses: z.strictObject({ count, ms: count }).exactOptional(),
  silentTurns: count.exactOptional(),
  providerRetries: count.exactOptional(),
  prefixes: z
    .array(z.strictObject({ agent: z.string(), variants: count }))
    .readonly()
    .exactOptional()
    .describe(
      'Versions of the common part that the prompts of each agent begin with. Services cache it while it is unchanged; each new version is paid uncached.',
    ),
};
