import { describe, expect, it } from 'vitest';
import { cut, said, used } from '../../../test/report/agent-story.ts';
import { failures } from '../../../test/report/failures.ts';
import { agentText, byAgentText, callText, turnResultText } from './turn.ts';

describe('who takes a turn', () => {
  it('is named with the model and how hard it thinks, as far as known', () => {
    expect(agentText({ agent: 'codex', model: 'gpt-5', reasoning: 'high' })).toBe(
      'codex gpt-5 (high)',
    );
    expect(agentText({ agent: 'codex' })).toBe('codex');
    expect(agentText({})).toBe('');
  });

  it('follows a verb', () => {
    expect(byAgentText({ agent: 'codex', model: 'gpt-5' })).toBe(' by codex gpt-5');
    expect(byAgentText({ model: 'gpt-5', reasoning: 'low' })).toBe(' with gpt-5 (low)');
    expect(byAgentText({})).toBe('');
  });
});

describe('what an agent says by a call', () => {
  it.each([
    [{ id: 'report', about: 'decision', text: 'A.' }, 'its agent reports (decision): A.'],
    [{ id: 'report', about: '', text: 'A.' }, 'its agent reports: A.'],
    [{ id: 'next', ids: ['a', 'b'] }, 'its agent suggests next: a, b'],
    [{ id: 'complete' }, 'its agent reports: done'],
    [{ id: 'gave-up', message: '' }, 'its agent reports: gave up: no reason'],
    [{ id: 'ask', question: 'Which?' }, 'its agent reports: question: Which?'],
    [{ id: 'claim', ids: ['a'] }, 'its agent reports: claims a'],
  ] as const)('is told: %j', (call, text) => {
    expect(callText(call)).toBe(text);
  });
});

describe('the end of a turn', () => {
  it('is shown with the model, tokens and cost that it reported', () => {
    const result = said({ id: 'complete' }, used(1000, 90, 0.25), 'opus');
    expect(turnResultText(result)).toBe('finished (opus, 11,590 tokens, $0.25)');
    expect(turnResultText({ ok: true })).toBe('finished');
    expect(turnResultText({ ok: true, survivors: ['7 sleep 9 (ended)'] })).toBe(
      'finished; processes outlived it: 7 sleep 9 (ended)',
    );
  });

  it('is shown with the signal of the agent if it is not done', () => {
    expect(turnResultText(said({ id: 'nothing' }))).toBe('ended: no end signal');
    expect(turnResultText(said({ id: 'claim', ids: [] }))).toBe('ended: claims no task');
  });

  it('is shown with the tasks it filed, even if it failed', () => {
    const followUps = [{ title: 'One' }, { title: 'Two' }];
    expect(turnResultText({ ...cut(failures['agent-error']), followUps })).toBe(
      'failed; filed: One; Two',
    );
  });
});
