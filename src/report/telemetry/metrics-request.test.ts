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

it('the counters of a run in which one task lands are these', () => {
  expect(sent(runMetrics(source))).toEqual([
    {
      name: 'yardmaster.agent.starts',
      unit: '{start}',
      description: 'Agent starts',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [],
            asInt: '0',
          },
        ],
      },
    },
    {
      name: 'yardmaster.tokens',
      unit: '{token}',
      description: 'Tokens of every kind, as far as agents report them',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [],
            asInt: '0',
          },
        ],
      },
    },
    {
      name: 'yardmaster.cost',
      unit: 'USD',
      description: 'Cost, as far as it is known',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [],
            asDouble: 0,
          },
        ],
      },
    },
    {
      name: 'yardmaster.landings',
      unit: '{branch}',
      description: 'Branches that landed',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [],
            asInt: '1',
          },
        ],
      },
    },
    {
      name: 'yardmaster.gate.runs',
      unit: '{run}',
      description: 'Gates that ran to a verdict',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [{ key: 'yardmaster.gate.of', value: { stringValue: 'branch' } }],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [{ key: 'yardmaster.gate.of', value: { stringValue: 'candidate' } }],
            asInt: '1',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [{ key: 'yardmaster.gate.of', value: { stringValue: 'target' } }],
            asInt: '0',
          },
        ],
      },
    },
    {
      name: 'yardmaster.gate.verdicts',
      unit: '{verdict}',
      description: 'Verdicts of gates, reused ones included',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'branch' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'passed' } },
            ],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'branch' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'failed' } },
            ],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'branch' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'not-run' } },
            ],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'candidate' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'passed' } },
            ],
            asInt: '1',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'candidate' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'failed' } },
            ],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'candidate' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'not-run' } },
            ],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'target' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'passed' } },
            ],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'target' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'failed' } },
            ],
            asInt: '0',
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'yardmaster.gate.of', value: { stringValue: 'target' } },
              { key: 'yardmaster.gate.verdict', value: { stringValue: 'not-run' } },
            ],
            asInt: '0',
          },
        ],
      },
    },
    {
      name: 'yardmaster.gate.duration',
      unit: 's',
      description: 'Time of gate runs, without reused verdicts',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [{ key: 'yardmaster.gate.of', value: { stringValue: 'branch' } }],
            asDouble: 0,
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [{ key: 'yardmaster.gate.of', value: { stringValue: 'candidate' } }],
            asDouble: 1.5,
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [{ key: 'yardmaster.gate.of', value: { stringValue: 'target' } }],
            asDouble: 0,
          },
        ],
      },
    },
  ]);
});

it('the tokens of its agents are these', () => {
  expect(sent(agentMetrics(source, providerOf))?.slice(0, 1)).toEqual([
    {
      name: 'gen_ai.client.token.usage',
      unit: '{token}',
      description: 'Input and output tokens of agent processes',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
              { key: 'gen_ai.provider.name', value: { stringValue: 'own' } },
              { key: 'gen_ai.agent.name', value: { stringValue: 'mine' } },
              { key: 'gen_ai.request.model', value: { stringValue: 'opus' } },
              { key: 'gen_ai.response.model', value: { stringValue: 'opus-5' } },
              { key: 'gen_ai.token.type', value: { stringValue: 'input' } },
            ],
            count: '1',
            sum: 35,
            bucketCounts: [
              '0',
              '0',
              '0',
              '1',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
            ],
            explicitBounds: [
              1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216,
              67108864,
            ],
          },
          {
            startTimeUnixNano: '1000000000',
            timeUnixNano: '60000000000',
            attributes: [
              { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
              { key: 'gen_ai.provider.name', value: { stringValue: 'own' } },
              { key: 'gen_ai.agent.name', value: { stringValue: 'mine' } },
              { key: 'gen_ai.request.model', value: { stringValue: 'opus' } },
              { key: 'gen_ai.response.model', value: { stringValue: 'opus-5' } },
              { key: 'gen_ai.token.type', value: { stringValue: 'output' } },
            ],
            count: '1',
            sum: 7,
            bucketCounts: [
              '0',
              '0',
              '1',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
              '0',
            ],
            explicitBounds: [
              1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216,
              67108864,
            ],
          },
        ],
      },
    },
  ]);
});
