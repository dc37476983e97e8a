import { parseDuration } from '../model/duration.ts';
import type { LearnedTimes } from '../model/forecast.ts';
import type { AttemptRecord } from '../model/history.ts';
import type { Task } from '../model/task.ts';

/** A landed task and the time that its agent took. */
export interface PastTask {
  readonly task: Task;
  readonly agent: string;
  readonly ms: number;
}

/** Landed tasks below which nothing is learned. */
const pastMin = 3;

/** Weight of the general expectation, in samples: a trait with as many samples has half of its effect. */
const prior = 3;

/** Traits kept in a table, those with the most samples first. */
const traitsMax = 60;

/** Largest effect of one trait, and of wrong estimates, in either direction. */
const factorMax = 8;

/** Agent time of an attempt: its turns, without waits, gates and reviews. */
export function agentMs({ turns }: Pick<AttemptRecord, 'turns'>): number {
  return turns.reduce(
    (total, { startedAt, end }) => total + Math.max(0, (end?.at ?? startedAt) - startedAt),
    0,
  );
}

/**
 * Learns how long tasks take. Works with medians of logarithms, so that one agent that hung all night changes little.
 * Traits are fitted one after the other, each to what the ones before it leave unexplained, because they go together:
 * hard tasks have long texts.
 */
export function learnTimes(past: readonly PastTask[]): LearnedTimes | undefined {
  const timed = past.filter(({ ms }) => ms > 0);
  if (timed.length < pastMin) return undefined;
  const center = median(timed.map(({ ms }) => Math.log(ms)));
  const rows = timed.map(({ task, agent, ms }) => ({
    traits: traitsOf(task, agent),
    rest: Math.log(ms) - center,
  }));
  const effects: (readonly [trait: string, effect: number, samples: number])[] = [];
  for (let kind = 0; kind < traitKinds; kind += 1) {
    for (const trait of new Set(rows.map(({ traits }) => traits[kind] ?? ''))) {
      const group = rows.filter(({ traits }) => traits[kind] === trait);
      const effect = shrunken(group.map(({ rest }) => rest));
      for (const row of group) row.rest -= effect;
      if (rounded(effect) !== 1) effects.push([trait, effect, group.length]);
    }
  }
  const kept = effects.sort((a, b) => b[2] - a[2]).slice(0, traitsMax);
  const misses = timed.flatMap(({ task, ms }) => {
    const stated = statedMs(task);
    return stated === undefined ? [] : [Math.log(ms / stated)];
  });
  return {
    medianMs: Math.round(Math.exp(center)),
    factors: Object.fromEntries(kept.map(([trait, effect]) => [trait, rounded(effect)])),
    stated: misses.length === 0 ? 1 : rounded(shrunken(misses)),
  };
}

/** Expected agent time of a task. A stated estimate wins, corrected by how wrong earlier ones were. */
export function expectedMs(task: Task, agent: string, times: LearnedTimes): number {
  const stated = statedMs(task);
  if (stated !== undefined) return stated * times.stated;
  return traitsOf(task, agent).reduce(
    (ms, trait) => ms * (times.factors[trait] ?? 1),
    times.medianMs,
  );
}

/** Estimate that the task states; undefined if there is none. */
export function statedMs({ estimate }: Task): number | undefined {
  const ms = estimate === undefined ? undefined : parseDuration(estimate);
  return ms === undefined || ms <= 0 ? undefined : ms;
}

const traitKinds = 5;

/** Traits in the order in which they are fitted: the most telling first. */
function traitsOf(task: Task, agent: string): readonly string[] {
  const { difficulty = 'unknown', title, body, acceptance, paths, type } = task;
  const chars = acceptance.reduce((sum, one) => sum + one.length, title.length + body.length);
  return [
    `difficulty:${difficulty}`,
    `type:${type}`,
    `agent:${task.agent ?? agent}`,
    `text:${Math.min(6, Math.floor(Math.log2(1 + chars / 200)))}`,
    `paths:${Math.min(4, paths.length)}`,
  ];
}

/** Median, pulled toward no effect the fewer samples there are. */
function shrunken(values: readonly number[]): number {
  const effect = median(values) * (values.length / (values.length + prior));
  return Math.max(-Math.log(factorMax), Math.min(Math.log(factorMax), effect));
}

function rounded(effect: number): number {
  return Math.round(Math.exp(effect) * 100) / 100;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[sorted.length / 2 - 1] ?? 0)) / 2;
}
