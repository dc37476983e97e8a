import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { task } from '../../test/story.ts';
import type { ModelRules } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { modelFor, modelOfTask, parseModel, reasonings } from './model.ts';

const isAgent = (name: string): boolean => ['claude', 'codex'].includes(name);
const choose = (of: Task, rules: ModelRules, own?: string) => modelFor(of, rules, own, isAgent);

describe('a model as people write it', () => {
  test.each([
    ['opus', { model: 'opus' }],
    ['opus:high', { model: 'opus', reasoning: 'high' }],
    ['claude:opus', { agent: 'claude', model: 'opus' }],
    ['codex:gpt-5:xhigh', { agent: 'codex', model: 'gpt-5', reasoning: 'xhigh' }],
    [' codex : gpt-5 : low ', { agent: 'codex', model: 'gpt-5', reasoning: 'low' }],
    ['nobody:opus', { model: 'nobody:opus' }],
    ['llama:70b', { model: 'llama:70b' }],
    ['claude:llama:70b', { agent: 'claude', model: 'llama:70b' }],
    ['opus:loud', { model: 'opus:loud' }],
    ['claude', { model: 'claude' }],
    ['high', { model: 'high' }],
    ['', {}],
  ])('%j is %j', (text, choice) => {
    expect(parseModel(text, isAgent)).toEqual(choice);
  });

  test('nothing of it is ever lost', () => {
    const word = fc.stringMatching(/^[a-z0-9./-]{1,8}$/);
    const words = fc.array(fc.oneof(word, fc.constantFrom('claude', ...reasonings)), {
      minLength: 1,
    });
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join(':');
        const { agent, model, reasoning } = parseModel(text, isAgent);
        const whole = [agent, model, reasoning].filter((part) => part !== undefined).join(':');
        expect(whole).toBe(text);
      }),
    );
  });
});

describe('the model of a task', () => {
  const rules = {
    default: 'd',
    byPriority: { P0: 'p' },
    byType: { docs: 't' },
  };
  const all = {
    body: 'Do it.\n<!-- hew:model=tag -->',
    labels: ['model:label'],
    priority: 0,
    type: 'docs',
  } as const;

  test('is said by a tag before a label before the priority before the type before the default', () => {
    const { body: _body, ...noTag } = all;
    const { labels: _labels, ...noLabel } = noTag;
    expect(choose(task('a', all), rules)).toEqual({ model: 'tag' });
    expect(choose(task('a', noTag), rules)).toEqual({ model: 'label' });
    expect(choose(task('a', noLabel), rules)).toEqual({ model: 'p' });
    expect(choose(task('a', { type: 'docs' }), rules)).toEqual({ model: 't' });
    expect(choose(task('a'), rules)).toEqual({ model: 'd' });
    expect(choose(task('a'), {})).toEqual({});
  });

  test('falls to the next source where one is empty or malformed', () => {
    const said = (more: Partial<Task>) => choose(task('a', more), { default: 'd' });
    expect(said({ body: '<!-- ym:model= -->' })).toEqual({ model: 'd' });
    expect(said({ body: '<!-- ym:model=opus' })).toEqual({ model: 'd' });
    expect(said({ body: '<!-- ym:model=two words -->' })).toEqual({ model: 'd' });
    expect(said({ body: 'ym:model=opus' })).toEqual({ model: 'd' });
    expect(said({ labels: ['model:', 'model: ', 'models:x', 'model:y'] })).toEqual({ model: 'y' });
    expect(modelOfTask(task('a', { type: '' }), { byType: { '': 'x' } })).toBeUndefined();
    expect(modelOfTask(task('a', { priority: 0 }), { byPriority: { P0: ' ' } })).toBeUndefined();
  });

  test('the first tag that says something counts', () => {
    const body = '<!-- ym:model= --> <!--ym:model=  opus:high  --> <!-- ym:model=haiku -->';
    expect(choose(task('a', { body }), {})).toEqual({ model: 'opus', reasoning: 'high' });
  });

  test("the agent's own model stands in for the default only", () => {
    expect(choose(task('a'), rules, 'own')).toEqual({ model: 'own' });
    expect(choose(task('a', { type: 'docs' }), rules, 'own')).toEqual({ model: 't' });
  });
});
