import type { z } from 'zod';
import { formatDuration } from '../model/duration.ts';
import type { KeyType, Kind } from './values.ts';
import { formatSize } from './values.ts';

/** One key that a user may set. `T` is the type of its value in the settled config. */
export interface Key<T = unknown> {
  /** With dots between its parts, such as `gate.timeout`. */
  readonly key: string;
  readonly kind: Kind;
  /** The value if the key is not set anywhere. */
  readonly value: T;
  readonly default: string;
  readonly doc: string;
  /** True if a run reads the key from the target's commit instead of the checkout. */
  readonly fromTarget: boolean;
}

interface About {
  readonly doc: string;
  /** Describes the default for people; by default it is shown as the user would write it. */
  readonly shown?: string;
}

type Make = {
  <S extends z.ZodType>(
    key: string,
    kind: Kind<S>,
    about: About & { readonly default: z.output<S> },
  ): Key<z.output<S>>;
  <S extends z.ZodType>(key: string, kind: Kind<S>, about: About): Key<z.output<S> | undefined>;
};

const make =
  (fromTarget: boolean): Make =>
  (key: string, kind: Kind, { doc, shown, ...rest }: About & { readonly default?: unknown }) => ({
    key,
    kind,
    // The overloads tie the type of the default to the schema; this signature cannot express that.
    value: rest.default as never,
    default: shown ?? shownDefault(kind.type, rest.default),
    doc,
    fromTarget,
  });

export const key = make(false);
/** A key that judges work or prepares worktrees: no branch may change it for itself. */
export const targetKey = make(true);

function shownDefault(type: KeyType, value: unknown): string {
  if (typeof value === 'number' && type === 'duration') return formatDuration(value);
  if (typeof value === 'number' && type === 'size') return formatSize(value);
  if (Array.isArray(value)) return value.join(', ') || 'none';
  return value === undefined || typeof value === 'object' ? 'none' : String(value);
}

type Value<K> = K extends Key<infer T> ? T : Settled<K>;
type IsOptional<K> = K extends Key<infer T> ? (undefined extends T ? true : false) : false;

/** The values of a table of keys, in its shape. A key without a default becomes an optional field. */
export type Settled<Table> = {
  readonly [N in keyof Table as IsOptional<Table[N]> extends true ? never : N]: Value<Table[N]>;
} & {
  readonly [N in keyof Table as IsOptional<Table[N]> extends true ? N : never]?: Exclude<
    Value<Table[N]>,
    undefined
  >;
};

interface Table {
  readonly [field: string]: Key | Table;
}

const isKey = (entry: Key | Table): entry is Key =>
  typeof entry.key === 'string' && typeof entry.fromTarget === 'boolean';

/** All keys of a table in its order. */
export function keysOf(table: Table): readonly Key[] {
  return Object.values(table).flatMap((entry) => (isKey(entry) ? [entry] : keysOf(entry)));
}

/** Builds the settled values in the shape of the table, without the undefined ones. */
export function settled<T extends Table>(table: T, read: (key: Key) => unknown): Settled<T> {
  const entries = Object.entries(table)
    .map(([field, entry]) => [field, isKey(entry) ? read(entry) : settled(entry, read)])
    .filter(([, value]) => value !== undefined);
  // Each value was checked by the schema of its key, from which the type is inferred.
  return Object.fromEntries(entries) as Settled<T>;
}
