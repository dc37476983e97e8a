import { expect, it } from 'vitest';
import { landedStory } from '../../../test/report/landed-story.ts';
import { sourceOf } from '../../../test/report/records-of.ts';
import { agentMetrics, runMetrics } from './metrics.ts';
import { type Metric, metricsRequest } from './otlp.ts';

const providerOf = (agent: string): string => (agent === 'codex' ? 'openai' : 'own');
const { run, attempts, history } = sourceOf(landedStory);
const source = { run, attempts, history, now: 60_000 };
const sent = (metrics: readonly Metric[]) =>
  metricsRequest({ run: 'r1', project: 'p1' }, metrics).resourceMetrics[0]?.scopeMetrics[0]
    ?.metrics;

const times = { startTimeUnixNano: '1000000000', timeUnixNano: '60000000000' };
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const point = (value: object, ...attributes: object[]) => ({ ...times, attributes, ...value });
const counter = (name: string, unit: string, description: string, ...dataPoints: object[]) => ({
  name: `yardmaster.${name}`,
  unit,
  description,
  sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints },
});

it('the counters of a run in which one task lands are these', () => {
  const works = ['branch', 'candidate', 'target'];
  const byWork = (values: readonly object[]) =>
    works.map((work, at) => point(values[at] ?? {}, text('yardmaster.gate.of', work)));
  const verdicts = works.flatMap((work) =>
    ['passed', 'failed', 'not-run'].map((verdict) => {
      const count = work === 'candidate' && verdict === 'passed' ? '1' : '0';
      const of = text('yardmaster.gate.of', work);
      return point({ asInt: count }, of, text('yardmaster.gate.verdict', verdict));
    }),
  );
  const none = { asInt: '0' };
  const runs = byWork([none, { asInt: '1' }, none]);
  const seconds = byWork([{ asDouble: 0 }, { asDouble: 1.5 }, { asDouble: 0 }]);
  expect(sent(runMetrics(source))).toEqual([
    counter('agent.starts', '{start}', 'Agent starts', point(none)),
    counter('tokens', '{token}', 'Tokens of every kind, as far as agents report them', point(none)),
    counter('cost', 'USD', 'Cost, as far as it is known', point({ asDouble: 0 })),
    counter('landings', '{branch}', 'Branches that landed', point({ asInt: '1' })),
    counter('gate.runs', '{run}', 'Gates that ran to a verdict', ...runs),
    counter('gate.verdicts', '{verdict}', 'Verdicts of gates, reused ones included', ...verdicts),
    counter('gate.duration', 's', 'Time of gate runs, without reused verdicts', ...seconds),
  ]);
});

it('the tokens of its agents are these', () => {
  const explicitBounds = Array.from({ length: 14 }, (_, at) => 4 ** at);
  const tokens = (type: string, sum: number, bucket: number) =>
    point(
      {
        count: '1',
        sum,
        bucketCounts: Array.from({ length: 15 }, (_, at) => (at === bucket ? '1' : '0')),
        explicitBounds,
      },
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.provider.name', 'own'),
      text('gen_ai.agent.name', 'mine'),
      text('gen_ai.request.model', 'opus'),
      text('gen_ai.response.model', 'opus-5'),
      text('gen_ai.token.type', type),
    );
  expect(sent(agentMetrics(source, providerOf))?.slice(0, 1)).toEqual([
    {
      name: 'gen_ai.client.token.usage',
      unit: '{token}',
      description: 'Input and output tokens of agent processes',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [tokens('input', 35, 3), tokens('output', 7, 2)],
      },
    },
  ]);
});
