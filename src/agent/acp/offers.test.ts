import { describe, expect, it } from 'vitest';
import { currentModel, modelChoice, reasoningChoice } from './conversation.ts';

const select = (id: string, category: string, options: object[], currentValue = 'a/one') => ({
  id,
  name: id,
  category,
  type: 'select',
  currentValue,
  options,
});
const offered = [
  { value: 'a/one', name: 'A One' },
  { value: 'a/two', name: 'A Two' },
  { value: 'b/two', name: 'B Two' },
];
const byOption = { configOptions: [select('mode', 'mode', []), select('model', 'model', offered)] };
const byModels = {
  models: { currentModelId: 'one', availableModels: [{ modelId: 'one', name: 'One' }] },
};

describe('the model of a conversation', () => {
  it('is known if the agent reports it, in either format', () => {
    expect(currentModel(byOption)).toBe('a/one');
    expect(currentModel(byModels)).toBe('one');
    expect(currentModel({})).toBeUndefined();
    expect(currentModel({ models: null, configOptions: null })).toBeUndefined();
  });

  it.each([
    ['a/two', 'a/two', 'its value'],
    ['one', 'a/one', 'its value without the provider'],
    ['b two', 'b/two', 'its name'],
    ['two', 'two', 'nothing, for it could be either'],
    ['new-model', 'new-model', 'nothing, so the agent decides'],
  ])('%s is asked for as %s, found by %s', (wanted, value) => {
    expect(modelChoice(byOption, wanted)).toEqual({
      method: 'session/set_config_option',
      params: { configId: 'model', value },
      value,
    });
  });

  it('is looked for in groups as well', () => {
    const grouped = [{ group: 'a', name: 'A', options: offered }];
    const session = { configOptions: [select('m', 'model', grouped)] };
    expect(modelChoice(session, 'A Two')).toMatchObject({
      params: { configId: 'm', value: 'a/two' },
    });
  });

  it('is set by the older request if only that is offered', () => {
    expect(modelChoice(byModels, 'One')).toEqual({
      method: 'session/set_model',
      params: { modelId: 'one' },
      value: 'one',
    });
  });

  it('cannot be set if nothing is offered', () => {
    expect(modelChoice({}, 'one')).toBeUndefined();
  });
});

describe('how much to think', () => {
  const levels = [
    { value: 'low', name: 'Low' },
    { value: 'xh', name: 'XHigh' },
  ];
  const session = { configOptions: [select('effort', 'thought_level', levels)] };

  it('is set by value or name if the agent offers it', () => {
    expect(reasoningChoice(session, 'low')?.params).toEqual({ configId: 'effort', value: 'low' });
    expect(reasoningChoice(session, 'xhigh')?.value).toBe('xh');
  });

  it('is not requested if it is not offered', () => {
    expect(reasoningChoice(session, 'max')).toBeUndefined();
    expect(reasoningChoice(byOption, 'low')).toBeUndefined();
  });
});
