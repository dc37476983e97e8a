import type { Json } from '../harness.ts';
import { listAt, objectAt, textAt } from '../stream.ts';

/** A request that changes a setting, and the resulting value. */
export interface Choice {
  readonly method: string;
  readonly params: Json;
  readonly value: string;
}

/** Current model of the conversation, if the agent reports it. */
export function currentModel(session: Json): string | undefined {
  return (
    textAt(optionFor(session, isModel), 'currentValue') ??
    textAt(objectAt(session, 'models'), 'currentModelId')
  );
}

/**
 * Request for a model; undefined if the agent has no such setting. A name that is not on the list is sent as it is, and
 * the agent decides.
 */
export function modelChoice(session: Json, wanted: string): Choice | undefined {
  const option = optionFor(session, isModel);
  if (option !== undefined) return optionChoice(option, matchingOrWanted(valuesOf(option), wanted));
  const models = objectAt(session, 'models');
  if (models === undefined) return undefined;
  const listed = listAt(models, 'availableModels').map((model) => ({
    value: textAt(model, 'modelId') ?? '',
    name: textAt(model, 'name') ?? '',
  }));
  const value = matchingOrWanted(listed, wanted);
  return { method: 'session/set_model', params: { modelId: value }, value };
}

/** Request for a reasoning level; only a listed level is sent. */
export function reasoningChoice(session: Json, wanted: string): Choice | undefined {
  const option = optionFor(session, (found) => textAt(found, 'category') === 'thought_level');
  if (option === undefined) return undefined;
  const value = matchingValue(valuesOf(option), wanted);
  return value === undefined ? undefined : optionChoice(option, value);
}

interface Offered {
  readonly value: string;
  readonly name: string;
}

const isModel = (option: Json): boolean =>
  textAt(option, 'category') === 'model' || textAt(option, 'id') === 'model';

function optionFor(session: Json, fits: (option: Json) => boolean): Json | undefined {
  return listAt(session, 'configOptions').find(fits);
}

function optionChoice(option: Json, value: string): Choice {
  const configId = textAt(option, 'id') ?? '';
  return { method: 'session/set_config_option', params: { configId, value }, value };
}

/** Values of a setting, which may be grouped. */
function valuesOf(option: Json): Offered[] {
  return listAt(option, 'options')
    .flatMap((entry) => (Array.isArray(entry.options) ? listAt(entry, 'options') : [entry]))
    .map((entry) => ({ value: textAt(entry, 'value') ?? '', name: textAt(entry, 'name') ?? '' }));
}

function matchingOrWanted(offered: readonly Offered[], wanted: string): string {
  return matchingValue(offered, wanted) ?? wanted;
}

/** Matches by value, else by name or without the provider prefix if only one value matches. */
function matchingValue(offered: readonly Offered[], wanted: string): string | undefined {
  if (offered.some(({ value }) => value === wanted)) return wanted;
  const alike = offered.filter(
    ({ value, name }) =>
      name.toLowerCase() === wanted.toLowerCase() || value.endsWith(`/${wanted}`),
  );
  return alike.length === 1 ? alike[0]?.value : undefined;
}
