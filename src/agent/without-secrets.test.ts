import { describe, expect, it } from 'vitest';
import type { TurnResult } from '../model/turn.ts';
import { withoutSecrets } from './turn-end.ts';

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');
const cleaned = (result: TurnResult) => withoutSecrets(result, redact);

describe('a result that is stored', () => {
  it('has no secret in tail, signal or follow-ups', () => {
    expect(
      cleaned({
        ok: true,
        tail: 'key hunter2',
        signal: { id: 'ask', question: 'Is hunter2 right?' },
        followUps: [{ title: 'Change hunter2', body: 'It is hunter2' }],
      }),
    ).toEqual({
      ok: true,
      tail: 'key [redacted]',
      signal: { id: 'ask', question: 'Is [redacted] right?' },
      followUps: [{ title: 'Change [redacted]', body: 'It is [redacted]' }],
    });
  });

  it('has none in a failure, however deep', () => {
    const failure = {
      kind: 'permission-denied',
      agent: 'a',
      message: 'hunter2',
      tools: ['hunter2'],
    };
    expect(cleaned({ ok: false, failure: failure as never })).toEqual({
      ok: false,
      failure: { ...failure, message: '[redacted]', tools: ['[redacted]'] },
    });
  });

  it('keeps its ids and numbers, which are used again', () => {
    const result: TurnResult = {
      ok: true,
      tail: '',
      signal: { id: 'claim', ids: ['hunter2'] },
      session: 'hunter2',
      model: 'hunter2',
      next: ['hunter2'],
      usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
    };
    expect(cleaned(result)).toEqual(result);
    const lost = { kind: 'session-lost', agent: 'a', message: 'm', session: 'hunter2' } as const;
    expect(cleaned({ ok: false, failure: lost })).toEqual({ ok: false, failure: lost });
  });

  it('has no attempt token in any text, even without a redactor', () => {
    const token = `yard:r:t:1:${'0a'.repeat(32)}`;
    const result: TurnResult = {
      ok: true,
      tail: `YARD_TOKEN=${token}`,
      signal: { id: 'claim', ids: ['a', token, 'not hunter2'] },
      followUps: [{ title: token, body: `It is ${token}.` }],
    };
    const clean: TurnResult = {
      ok: true,
      tail: 'YARD_TOKEN=[redacted]',
      signal: { id: 'claim', ids: ['a', '[redacted]', 'not hunter2'] },
      followUps: [{ title: '[redacted]', body: 'It is [redacted].' }],
    };
    expect(withoutSecrets(result, undefined)).toEqual(clean);
    const ids = ['a', '[redacted]', 'not [redacted]'];
    expect(cleaned(result)).toEqual({ ...clean, signal: { id: 'claim', ids } });
  });

  it('stays unchanged without a redactor', () => {
    const result: TurnResult = { ok: true, tail: 'hunter2' };
    expect(withoutSecrets(result, undefined)).toEqual(result);
  });
});
