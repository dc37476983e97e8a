import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { limits } from '../model/limits.ts';
import type { AgentRequest } from '../model/turn.ts';
import { requestOf } from './agent.ts';
import { parse } from './parse.ts';

const stdin = 'from standard input\n';
/** Standard input has no end where the name of the word says so. */
const read = async (word: string): Promise<string | undefined> => {
  if (word === 'endless') return undefined;
  return word === '-' ? stdin : word;
};

async function request(...words: string[]): Promise<AgentRequest> {
  const call = need(parse(['agent', ...words]));
  const found = need(await requestOf(call, read));
  return found;
}

async function refusal(...words: string[]): Promise<string> {
  const call = parse(['agent', ...words]);
  const found = call.ok ? await requestOf(call.value, read) : call;
  if (found.ok || found.failure.kind !== 'usage') throw new Error('It was not refused');
  return `${found.failure.problem} ${found.failure.remedy}`;
}

describe('a call of an agent', () => {
  it.each<[string[], AgentRequest]>([
    [['done'], { id: 'report', calls: [{ id: 'complete' }] }],
    [
      ['done', '-m', 'All of it'],
      {
        id: 'report',
        calls: [{ id: 'report', about: 'done', text: 'All of it' }, { id: 'complete' }],
      },
    ],
    [
      ['give-up', '--message', 'No key'],
      { id: 'report', calls: [{ id: 'gave-up', message: 'No key' }] },
    ],
    [
      ['give-up', '-m', '-'],
      { id: 'report', calls: [{ id: 'gave-up', message: 'from standard input' }] },
    ],
    [['ask', 'Which', 'port?'], { id: 'report', calls: [{ id: 'ask', question: 'Which port?' }] }],
    [['ask', '-'], { id: 'report', calls: [{ id: 'ask', question: 'from standard input' }] }],
    [['claim', 'a', 'b,c', 'a'], { id: 'claim', ids: ['a', 'b', 'c'] }],
    [['next', 'a', 'b'], { id: 'report', calls: [{ id: 'next', ids: ['a', 'b'] }] }],
    [['next'], { id: 'report', calls: [{ id: 'next', ids: [] }] }],
    [
      ['report', 'decision', 'Use a map'],
      { id: 'report', calls: [{ id: 'report', about: 'decision', text: 'Use a map' }] },
    ],
    [
      ['report', 'follow-up', 'Clean', 'up'],
      { id: 'follow-up', found: { title: 'Clean up' }, after: [] },
    ],
    [
      [
        'report',
        'follow-up',
        'a',
        '--body',
        '-',
        '--type',
        'bug',
        '--priority',
        '0',
        '--after',
        'b',
      ],
      {
        id: 'follow-up',
        found: { title: 'a', body: 'from standard input', type: 'bug', priority: 0 },
        after: ['b'],
      },
    ],
  ])('is understood: %j', async (words, expected) => {
    expect(await request(...words)).toEqual(expected);
  });

  it.each<[string[], RegExp]>([
    [['nonsense'], /cannot be "nonsense"/],
    [[], /needs CALL/],
    [['done', 'now'], /"now" is an unexpected argument Pass the text with -m\./],
    [['done', '-m', '  '], /the text is empty/],
    [['give-up'], /no reason is given/],
    [['give-up', 'because'], /"because" is an unexpected/],
    [['ask'], /the text is empty/],
    [['ask', 'x'.repeat(10_001)], /longer than 10000 characters/],
    [['ask', 'endless'], /longer than 10000 characters/],
    [['done', '-m', 'endless'], /longer than 10000 characters/],
    [['give-up', '-m', 'endless'], /longer than 10000 characters/],
    [['report', 'note', 'endless'], /longer than 10000 characters/],
    [['report', 'follow-up', 'a', '--body', 'endless'], /longer than 1048576 characters/],
    [['claim'], /no task is named/],
    [['claim', 'a', '../b'], /"\.\.\/b" is no id of a task/],
    [['claim', ...Array.from({ length: limits.claimIds + 1 }, (_, n) => `t${n}`)], /more than 32/],
    [['next', '<id>'], /"<id>" is no id/],
    [['report'], /does not say what the report is about/],
    [['report', 'Two words', 'x'], /does not say what/],
    [['report', 'note'], /the text is empty/],
    [['report', 'follow-up', 'x'.repeat(501)], /longer than 500 characters/],
    [['report', 'follow-up', 'x', '--after', 'b b'], /"b b" is no id/],
    [['ask', 'why?', '-m', 'x'], /--message cannot be used with `ym agent ask`/],
    [['report', 'note', 'x', '--body', 'y'], /--body cannot be used/],
    [['done', '--type', 'bug'], /--type cannot be used/],
    [['claim', 'a', '--after', 'b'], /--after cannot be used/],
    [['next', '--priority', '1'], /--priority cannot be used/],
  ])('is refused: %j', async (words, expected) => {
    expect(await refusal(...words)).toMatch(expected);
  });
});
