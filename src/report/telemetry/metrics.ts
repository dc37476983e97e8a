import { partIn } from '../../history/attempt-history.ts';
import {
  type AttemptRecord,
  type CallRecord,
  gateRunsIn,
  type RunHistory,
  type TurnRecord,
} from '../../model/history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { genAiAttributes, inputTokens, type ProviderOf } from './agent-process.ts';
import { attributesOf, cumulative, type HistogramPoint, type Metric, nanos } from './otlp.ts';

interface MetricsSource {
  readonly run: RunRecord;
  readonly history: RunHistory | undefined;
  readonly now: number;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [value: number, labels: Labels];

const gatesOf = ['branch', 'candidate', 'target'] as const;

/** Counters of a run, from its start. Costs the same however many attempts it has. */
export function runMetrics({ run, history, now }: MetricsSource): readonly Metric[] {
  const span = spanOf(run, now);
  const counter = (
    name: string,
    unit: string,
    description: string,
    samples: readonly Sample[],
  ): Metric => ({
    name: `yardmaster.${name}`,
    unit,
    description,
    sum: {
      aggregationTemporality: cumulative,
      isMonotonic: true,
      dataPoints: samples.map(([value, labels]) => ({
        ...span,
        attributes: attributesOf(labels),
        ...(unit.startsWith('{') ? { asInt: String(value) } : { asDouble: value }),
      })),
    },
  });
  const { starts, tokens, costUsd } = run.spent;
  const runs = gateRunsIn(history);
  const gate = 'yardmaster.gate.of';
  const verdict = 'yardmaster.gate.verdict';
  return [
    counter('agent.starts', '{start}', 'Agent starts', [[starts, {}]]),
    counter('tokens', '{token}', 'Tokens of every kind, as far as agents report them', [
      [tokens, {}],
    ]),
    counter('cost', 'USD', 'Cost, as far as it is known', [[costUsd, {}]]),
    counter('landings', '{branch}', 'Branches that landed', [[run.train.landed, {}]]),
    counter(
      'gate.runs',
      '{run}',
      'Gates that ran to a verdict',
      gatesOf.map((of) => [runs[of], { [gate]: of }]),
    ),
    counter(
      'gate.verdicts',
      '{verdict}',
      'Verdicts of gates, reused ones included',
      gatesOf.flatMap((of) => {
        const { passed = 0, failed = 0, notRun = 0 } = history?.gates[of] ?? {};
        const rows = Object.entries({ passed, failed, 'not-run': notRun });
        return rows.map(([is, count]): Sample => [count, { [gate]: of, [verdict]: is }]);
      }),
    ),
    counter(
      'gate.duration',
      's',
      'Time of gate runs, without reused verdicts',
      gatesOf.map((of) => [(history?.gates[of].ms ?? 0) / 1000, { [gate]: of }]),
    ),
  ];
}

/** Buckets of the semantic conventions. */
const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power);
/** Seconds. An agent works for minutes, so the buckets of the conventions, which end at 82, would tell nothing. */
const durationBounds = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];

/** Tokens and times of the agent processes of a run that ended, by agent and model. */
export function agentMetrics(
  { run, now, attempts }: MetricsSource & { readonly attempts: readonly AttemptRecord[] },
  providerOf: ProviderOf,
): readonly Metric[] {
  const tokens = new Histograms(tokenBounds);
  const durations = new Histograms(durationBounds);
  for (const attempt of attempts) {
    const { turns, calls } = partIn(attempt, run.id);
    for (const one of [...turns, ...calls]) count(one, tokens, durations, providerOf);
  }
  const histogram = (name: string, unit: string, description: string, of: Histograms): Metric => ({
    name: `gen_ai.client.${name}`,
    unit,
    description,
    histogram: {
      aggregationTemporality: cumulative,
      dataPoints: of.points(spanOf(run, now)),
    },
  });
  return [
    histogram('token.usage', '{token}', 'Input and output tokens of agent processes', tokens),
    histogram('operation.duration', 's', 'Time of agent processes', durations),
  ];
}

function count(
  one: TurnRecord | CallRecord,
  tokens: Histograms,
  durations: Histograms,
  providerOf: ProviderOf,
): void {
  const { startedAt, end } = one;
  if (end === undefined) return;
  const labels = genAiAttributes(one, providerOf);
  durations.add(Math.max(0, end.at - startedAt) / 1000, labels);
  if (end.usage === undefined) return;
  tokens.add(inputTokens(end.usage), { ...labels, 'gen_ai.token.type': 'input' });
  tokens.add(end.usage.output, { ...labels, 'gen_ai.token.type': 'output' });
}

function spanOf({ startedAt }: RunRecord, now: number) {
  return { startTimeUnixNano: nanos(startedAt), timeUnixNano: nanos(Math.max(startedAt, now)) };
}

type Row = { readonly labels: AnyLabels; readonly values: number[] };
type AnyLabels = Readonly<Record<string, string | undefined>>;

class Histograms {
  readonly #bounds: readonly number[];
  readonly #rows = new Map<string, Row>();

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  add(value: number, labels: AnyLabels): void {
    const key = JSON.stringify(labels);
    const row = this.#rows.get(key) ?? { labels, values: [] };
    this.#rows.set(key, row);
    row.values.push(value);
  }

  points(span: Pick<HistogramPoint, 'startTimeUnixNano' | 'timeUnixNano'>): HistogramPoint[] {
    return [...this.#rows.values()].map(({ labels, values }) => {
      const buckets = Array.from({ length: this.#bounds.length + 1 }, () => 0);
      for (const value of values) {
        const found = this.#bounds.findIndex((bound) => value <= bound);
        const index = found === -1 ? this.#bounds.length : found;
        buckets[index] = (buckets[index] ?? 0) + 1;
      }
      return {
        ...span,
        attributes: attributesOf(labels),
        count: String(values.length),
        sum: values.reduce((sum, value) => sum + value, 0),
        bucketCounts: buckets.map(String),
        explicitBounds: this.#bounds,
      };
    });
  }
}
