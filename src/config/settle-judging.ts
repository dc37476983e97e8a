import type { Stage } from '../model/review.ts';
import type { CritiqueSettings, ReviewSettings, TrainSettings } from '../model/run.ts';
import { gateSlotsFor, limits } from '../plan/limits.ts';
import type { Config, GateConfig } from './config.ts';
import { protectDefault } from './judging-keys.ts';

/** Reads a key; the type is the one that the schema gives it. */
export type Get = <T>(key: string) => T | undefined;

/** Where our own settings are; whoever changes them changes the judge. */
const ownFile = 'yardmaster.yaml';

export function gateOf(get: Get, cores: number): GateConfig {
  const slots = get<number | 'auto'>('gate.slots') ?? 'auto';
  const how = {
    branch: get<GateConfig['branch']>('gate.branch') ?? 'auto',
    quick: get<readonly string[]>('gate.quick') ?? [],
    reruns: get<number>('gate.reruns') ?? limits.gateRerunsDefault,
    cache: get<readonly string[]>('gate.cache') ?? [],
    environment: get<readonly string[]>('gate.environment') ?? [],
    recheckMs: get<number>('gate.recheck') ?? limits.gateRecheckMs,
    slots: slots === 'auto' ? gateSlotsFor(cores) : slots,
  } as const;
  if (get('gate') !== undefined) return { kind: 'none', ...how };
  const timeoutMs = get<number>('gate.timeout') ?? limits.gateWallMs;
  const commands = get<readonly string[]>('gate.commands');
  if (commands === undefined) return { kind: 'detect', timeoutMs, ...how };
  return { kind: 'commands', commands, timeoutMs, ...how };
}

export function protectOf(get: Get): readonly string[] {
  return [...new Set([...(get<readonly string[]>('protect') ?? protectDefault), ownFile])];
}

export function rulesOf(get: Get): Config['rules'] {
  const maxFiles = get<number>('rules.max_files');
  const maxLines = get<number>('rules.max_lines');
  return {
    tests: get('rules.tests') ?? 'guard',
    ...(maxFiles === undefined ? {} : { maxFiles }),
    ...(maxLines === undefined ? {} : { maxLines }),
  };
}

/** None where neither an agent nor a person looks at the work. */
export function reviewOf(get: Get): ReviewSettings | undefined {
  const reviewers = get<readonly string[]>('review.agent') ?? [];
  const person = get<boolean>('review.person') ?? false;
  if (reviewers.length === 0 && !person) return undefined;
  return {
    reviewers,
    person,
    rounds: get('review.rounds') ?? limits.reviewRoundsDefault,
    retries: get('review.retries') ?? limits.verdictRetriesDefault,
  };
}

export function critiqueOf(get: Get): CritiqueSettings | undefined {
  const critic = get<string>('critique.agent');
  if (critic === undefined) return undefined;
  const improver = get<string>('critique.improver');
  return {
    critic,
    ...(improver === undefined ? {} : { improver }),
    rounds: get('critique.rounds') ?? limits.critiqueRoundsDefault,
    retries: get('critique.retries') ?? limits.verdictRetriesDefault,
  };
}

/** Always with an entry for tasks whose type has none of its own: every stage that somebody is there for. */
export function pipelinesOf(
  said: Readonly<Record<string, readonly Stage[]>>,
  review: ReviewSettings | undefined,
  critique: CritiqueSettings | undefined,
): Readonly<Record<string, readonly Stage[]>> {
  const standard: readonly Stage[] = [
    ...(critique === undefined ? [] : (['critique'] as const)),
    'work',
    'gate',
    ...(review === undefined ? [] : (['review'] as const)),
    'land',
  ];
  return { default: standard, ...said };
}

export function trainOf(get: Get): TrainSettings {
  const batch = get<number | 'auto'>('train.batch') ?? 'auto';
  return {
    batch: batch === 'auto' ? limits.trainBatchDefault : batch,
    style: get('train.style') ?? 'merge',
  };
}

export function deliveryOf(get: Get): Config['delivery'] {
  return {
    how: get('delivery.how') ?? 'land',
    remote: get('delivery.remote') ?? 'origin',
    waitMs: get('delivery.wait') ?? 0,
  };
}

export function verifyOf(get: Get): Config['verify'] {
  const command = get<string>('verify.command');
  return {
    enabled: get('verify.enabled') ?? false,
    ...(command === undefined ? {} : { command }),
    timeoutMs: get('verify.timeout') ?? limits.verifyWallMs,
    onFailure: get('verify.on_failure') ?? 'report',
  };
}
