import { z } from 'zod';
import { optional } from '../document/document.ts';
import type { Priority } from '../model/task.ts';
import { kind, mapOf, someTexts, text, texts, whole } from './values.ts';

/** Keys of a task that a mapping may name columns for, and `status`. */
export const fieldNames = [
  'id',
  'title',
  'body',
  'after',
  'priority',
  'type',
  'labels',
  'paths',
  'scope',
  'checks',
  'acceptance',
  'parent',
  'difficulty',
  'estimate',
  'link',
  'agent',
  'status',
] as const;

const column = someTexts('Give the name of a column, or a list of names.');
const fieldsHint =
  'Give a map of task keys to columns with at least id and title, such as { id: "Issue key", title: Summary }.';
function fieldsSchema() {
  const columns = column.schema.optional();
  return z.strictObject(
    {
      ...(Object.fromEntries(fieldNames.map((name) => [name, columns])) as Record<
        (typeof fieldNames)[number],
        typeof columns
      >),
      id: column.schema,
      title: column.schema,
    },
    { error: fieldsHint },
  );
}

const mapping = kind('map', () =>
  z
    .strictObject(
      {
        fields: fieldsSchema(),
        priorities: optional(
          mapOf(whole(0, 4), { map: 'Give a map of names to numbers from 0 (first) to 4 (last).' })
            .schema,
        ),
        types: optional(mapOf(text, { map: 'Give a map of names to task types.' }).schema),
        done: optional(texts('Give a status or a list of them.').schema),
        id_prefix: optional(text.schema),
      },
      { error: 'Write a map such as { fields: { id: Key, title: Summary }, done: [Closed] }.' },
    )
    .transform((given) => ({
      fields: Object.fromEntries(
        Object.entries(given.fields).flatMap(([key, names]) =>
          names === undefined ? [] : [[key, names]],
        ),
      ),
      priorities: (given.priorities ?? {}) as Readonly<Record<string, Priority>>,
      types: given.types ?? {},
      done: given.done ?? [],
      idPrefix: given.id_prefix ?? '',
    })),
);

export const mappingKeys: readonly string[] = [
  'fields',
  'priorities',
  'types',
  'done',
  'id_prefix',
];

/** Mappings of exports of trackers, by the name that is typed before the colon. */
export const sourceMappings = mapOf(mapping, {
  map: 'Give a map of names to mappings.',
  name: 'Name mappings with letters, digits, "_" and "-"; github and gitlab are taken.',
  names: /^(?!(?:github|gitlab)$)[A-Za-z][A-Za-z0-9_-]+$/,
});
