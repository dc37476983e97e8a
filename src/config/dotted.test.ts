import { describe, expect, it } from 'vitest';
import { pathOf, refusalOf, typeOf } from './dotted.ts';

describe('pathOf', () => {
  it.each([
    ['jobs', ['jobs']],
    ['gate.timeout', ['gate', 'timeout']],
    ['agents.a.env.TOKEN', ['agents', 'a', 'env', 'TOKEN']],
    ['model.by_priority.2', ['model', 'by_priority', 'P2']],
    ['model.by_type.v2.docs', ['model', 'by_type', 'v2.docs']],
    ['prices.gpt-5.1', ['prices', 'gpt-5.1']],
    ['prices.gpt-5.1.output', ['prices', 'gpt-5.1', 'output']],
    ['prices.default.cache_write', ['prices', 'default', 'cache_write']],
  ])('takes %s apart', (key, path) => {
    expect(pathOf(key)).toEqual(path);
  });
});

describe('typeOf', () => {
  it.each([
    ['jobs', 'number'],
    ['gate.commands', 'list'],
    ['agents', 'map'],
    ['agents.mine', 'map'],
    ['agents.mine.command', 'list'],
    ['agents.mine.use', 'text'],
    ['agents.mine.env.TOKEN', 'text'],
    ['agents.mine.count', 'number'],
    ['agents.mine.args', 'list'],
    ['agents.mine.prompts', 'list'],
    ['agents.mine.model', 'text'],
    ['agents.mine.env', 'map'],
    ['agents.mine.other', undefined],
    ['agents.mine.env.A.B', undefined],
    ['model.default', 'text'],
    ['model.by_priority', 'map'],
    ['model.by_priority.P0', 'text'],
    ['model.by_priority.4', 'text'],
    ['model.by_priority.P5', undefined],
    ['model.by_priority.high', undefined],
    ['model.by_type.docs', 'text'],
    ['model.by_type.', undefined],
    ['model', undefined],
    ['prices', 'map'],
    ['prices.gpt-5.1', 'map'],
    ['prices.gpt-5.1.cache_read', 'money'],
    ['budget.tokens', 'tokens'],
    ['budget.cost', 'money'],
    ['agents.', undefined],
    ['agents.mine.use.x', undefined],
    ['gates', undefined],
    ['worktree', undefined],
    ['', undefined],
  ])('knows %s as %s', (key, type) => {
    expect(typeOf(key)).toBe(type);
  });
});

describe('refusalOf', () => {
  it('offers the nearest key', () => {
    expect(refusalOf('gate.timout').remedy).toBe('Did you mean "gate.timeout"?');
    expect(refusalOf('zzzzzz').remedy).toContain('ym config list');
  });

  it('says of a section what can be set in it', () => {
    expect(refusalOf('fallback')).toEqual({
      problem: '"fallback" is a section and not a key',
      remedy: 'Set fallback.agent or fallback.cooldown.',
    });
  });

  it('offers keys of the sections that judge, and lists what can be set in them', () => {
    expect(refusalOf('review.agents').remedy).toBe('Did you mean "review.agent"?');
    expect(refusalOf('rules.max_file').remedy).toBe('Did you mean "rules.max_files"?');
    expect(refusalOf('verify').remedy).toBe(
      'Set verify.enabled or verify.command or verify.timeout or verify.on_failure.',
    );
  });

  it('says which priorities there are', () => {
    expect(refusalOf('model.by_priority.P9').remedy).toBe('Name priorities P0 to P4.');
  });
});
