import type { Json } from '../harness.ts';
import { listAt, objectAt, textAt } from '../stream.ts';

/** A request that changes a setting of a conversation, and the value it then has. */
export interface Choice {
  readonly method: string;
  readonly params: Json;
  readonly value: string;
}

/** The model that a new or resumed conversation has, where the agent tells. */
export function currentModel(session: Json): string | undefined {
  return (
    textAt(optionFor(session, isModel), 'currentValue') ??
    textAt(objectAt(session, 'models'), 'currentModelId')
  );
}

/**
 * How to ask for a model; undefined where the agent has no such setting. A name that is not on its list is asked for as
 * it stands: the agent knows best what it accepts, and says so.
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

/** The same for how much it should think. Only a level it offers is asked for. */
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

/** The values of a setting, which may stand in groups. */
function valuesOf(option: Json): Offered[] {
  return listAt(option, 'options')
    .flatMap((entry) => (Array.isArray(entry.options) ? listAt(entry, 'options') : [entry]))
    .map((entry) => ({ value: textAt(entry, 'value') ?? '', name: textAt(entry, 'name') ?? '' }));
}

function matchingOrWanted(offered: readonly Offered[], wanted: string): string {
  return matchingValue(offered, wanted) ?? wanted;
}

/** By its value, else by its name or without the provider in front of it, where that means one only. */
function matchingValue(offered: readonly Offered[], wanted: string): string | undefined {
  if (offered.some(({ value }) => value === wanted)) return wanted;
  const alike = offered.filter(
    ({ value, name }) =>
      name.toLowerCase() === wanted.toLowerCase() || value.endsWith(`/${wanted}`),
  );
  return alike.length === 1 ? alike[0]?.value : undefined;
}
