import { expect, it } from 'vitest';
import { landedStory } from '../../../test/report/landed-story.ts';
import { recordsOf, sourceOf } from '../../../test/report/records-of.ts';
import { tracesRequest } from './otlp.ts';
import { spansOfRun } from './spans.ts';

// Ids are shown as what they are the hash of.
const hash = (text: string, bytes: number): string => `${bytes}: ${text}`;
const providerOf = (agent: string): string => (agent === 'codex' ? 'openai' : 'own');

it('a run in which one task lands is this request', () => {
  const { run, attempts } = sourceOf(landedStory);
  const queue = recordsOf(landedStory).queueSteps.get(run.id) ?? [];
  const spans = spansOfRun({ run, attempts, queue }, { hash, providerOf });
  expect(tracesRequest({ run: 'r1', project: 'p1' }, spans)).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'yardmaster' } },
            { key: 'service.instance.id', value: { stringValue: 'r1' } },
            { key: 'yardmaster.project.id', value: { stringValue: 'p1' } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: 'yardmaster' },
            spans: [
              {
                traceId: '16: r1',
                spanId: '8: r1 run',
                name: 'run',
                kind: 1,
                startTimeUnixNano: '1000000000',
                endTimeUnixNano: '12000000000',
                attributes: [
                  { key: 'yardmaster.run.id', value: { stringValue: 'r1' } },
                  { key: 'yardmaster.run.stop', value: { stringValue: 'drained' } },
                  { key: 'yardmaster.run.resumed', value: { boolValue: false } },
                  { key: 'yardmaster.run.jobs', value: { intValue: '2' } },
                  { key: 'yardmaster.run.agent_starts', value: { intValue: '0' } },
                  { key: 'yardmaster.run.landings', value: { intValue: '1' } },
                ],
                status: { code: 0 },
              },
              {
                traceId: '16: r1',
                spanId: '8: r1 attempt api 1',
                parentSpanId: '8: r1 run',
                name: 'attempt',
                kind: 1,
                startTimeUnixNano: '2000000000',
                endTimeUnixNano: '11000000000',
                attributes: [
                  { key: 'yardmaster.run.id', value: { stringValue: 'r1' } },
                  { key: 'yardmaster.task.id', value: { stringValue: 'api' } },
                  { key: 'yardmaster.attempt.number', value: { intValue: '1' } },
                  { key: 'yardmaster.attempt.end', value: { stringValue: 'landed' } },
                  { key: 'yardmaster.attempt.turns', value: { intValue: '1' } },
                  { key: 'gen_ai.agent.name', value: { stringValue: 'mine' } },
                ],
                status: { code: 0 },
              },
              {
                traceId: '16: r1',
                spanId: '8: r1 attempt api 1 turn 1',
                parentSpanId: '8: r1 attempt api 1',
                name: 'invoke_agent mine',
                kind: 1,
                startTimeUnixNano: '3000000000',
                endTimeUnixNano: '4000000000',
                attributes: [
                  { key: 'yardmaster.run.id', value: { stringValue: 'r1' } },
                  { key: 'yardmaster.task.id', value: { stringValue: 'api' } },
                  { key: 'yardmaster.attempt.number', value: { intValue: '1' } },
                  { key: 'yardmaster.turn.number', value: { intValue: '1' } },
                  { key: 'yardmaster.turn.outcome', value: { stringValue: 'landed' } },
                  { key: 'yardmaster.slot', value: { intValue: '1' } },
                  { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
                  { key: 'gen_ai.provider.name', value: { stringValue: 'own' } },
                  { key: 'gen_ai.agent.name', value: { stringValue: 'mine' } },
                  { key: 'gen_ai.request.model', value: { stringValue: 'opus' } },
                  { key: 'gen_ai.response.model', value: { stringValue: 'opus-5' } },
                  { key: 'gen_ai.usage.input_tokens', value: { intValue: '35' } },
                  { key: 'gen_ai.usage.output_tokens', value: { intValue: '7' } },
                  { key: 'gen_ai.usage.cache_read.input_tokens', value: { intValue: '20' } },
                  { key: 'gen_ai.usage.cache_creation.input_tokens', value: { intValue: '5' } },
                  { key: 'yardmaster.cost.usd', value: { doubleValue: 0.25 } },
                ],
                status: { code: 0 },
              },
              {
                traceId: '16: r1',
                spanId: '8: r1 attempt api 1 call review-1-codex',
                parentSpanId: '8: r1 attempt api 1',
                name: 'invoke_agent codex',
                kind: 1,
                startTimeUnixNano: '6000000000',
                endTimeUnixNano: '7000000000',
                attributes: [
                  { key: 'yardmaster.run.id', value: { stringValue: 'r1' } },
                  { key: 'yardmaster.task.id', value: { stringValue: 'api' } },
                  { key: 'yardmaster.attempt.number', value: { intValue: '1' } },
                  { key: 'yardmaster.call.kind', value: { stringValue: 'review' } },
                  { key: 'yardmaster.call.round', value: { intValue: '1' } },
                  { key: 'yardmaster.call.answer', value: { stringValue: 'approved' } },
                  { key: 'yardmaster.slot', value: { intValue: '1' } },
                  { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
                  { key: 'gen_ai.provider.name', value: { stringValue: 'openai' } },
                  { key: 'gen_ai.agent.name', value: { stringValue: 'codex' } },
                  { key: 'gen_ai.response.model', value: { stringValue: 'gpt-5' } },
                ],
                status: { code: 0 },
              },
              {
                traceId: '16: r1',
                spanId: '8: r1 attempt api 1 landed',
                parentSpanId: '8: r1 attempt api 1',
                name: 'landing',
                kind: 1,
                startTimeUnixNano: '11000000000',
                endTimeUnixNano: '11000000000',
                attributes: [
                  { key: 'yardmaster.run.id', value: { stringValue: 'r1' } },
                  { key: 'yardmaster.task.id', value: { stringValue: 'api' } },
                  { key: 'yardmaster.attempt.number', value: { intValue: '1' } },
                  { key: 'yardmaster.landing.commit', value: { stringValue: 'm' } },
                  { key: 'yardmaster.landing.order', value: { intValue: '0' } },
                  { key: 'yardmaster.co_claims', value: { intValue: '0' } },
                ],
                status: { code: 0 },
              },
              {
                traceId: '16: r1',
                spanId: '8: r1 gate 10000 c1 api',
                parentSpanId: '8: r1 run',
                name: 'gate',
                kind: 1,
                startTimeUnixNano: '9000000000',
                endTimeUnixNano: '10000000000',
                attributes: [
                  { key: 'yardmaster.run.id', value: { stringValue: 'r1' } },
                  { key: 'yardmaster.gate.of', value: { stringValue: 'candidate' } },
                  { key: 'yardmaster.gate.verdict', value: { stringValue: 'passed' } },
                  { key: 'yardmaster.gate.cached', value: { boolValue: false } },
                  { key: 'yardmaster.candidate.id', value: { stringValue: 'c1' } },
                  { key: 'yardmaster.candidate.branches', value: { intValue: '1' } },
                ],
                links: [{ traceId: '16: r1', spanId: '8: r1 attempt api 1' }],
                status: { code: 0 },
              },
            ],
          },
        ],
      },
    ],
  });
});
