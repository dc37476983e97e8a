/*
 * Shapes of stored values, as data. A shape is written once; the static type (`Of`), the reader of stored values
 * (`read`) and the published JSON Schema (`record/json-schema.ts`) follow from it. Constant and type share a name:
 *
 *   export const Worktree = object({ id: text, dir: text });
 *   export type Worktree = Of<typeof Worktree>;
 */

/** A shape without its static type. */
export interface Shape {
  readonly node: ShapeNode;
  readonly optional?: true;
  /** For readers of the JSON Schema. */
  readonly description?: string;
  /** Makes a valid value of one that does not fit. */
  readonly repair?: (stored: unknown) => unknown;
}

export type ShapeNode =
  | { readonly kind: 'text' | 'bool' }
  | { readonly kind: 'number'; readonly whole: boolean; readonly least?: number }
  | { readonly kind: 'words'; readonly words: readonly Word[] }
  | { readonly kind: 'list' | 'map'; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: Fields }
  | { readonly kind: 'union'; readonly tag: string; readonly members: Members }
  | { readonly kind: 'either'; readonly shapes: readonly Shape[] }
  | { readonly kind: 'later'; readonly shape: () => Shape };

type Word = string | number | boolean | null;
export type Fields = Readonly<Record<string, Shape>>;
export type Members = Readonly<Record<string, Fields>>;

/** A shape whose values have the type `T`. `type` exists for the compiler only. */
export interface Typed<T> extends Shape {
  readonly type?: T;
}

export type Of<S> = S extends { readonly type?: infer T } ? T : never;

type Flat<T> = { [K in keyof T]: T[K] };
type OptionalKeys<F> = {
  [K in keyof F]: F[K] extends { readonly optional: true } ? K : never;
}[keyof F];
type Present<F, K extends keyof F> = { readonly [P in K]: Of<F[P]> };
type Absent<F, K extends keyof F> = { readonly [P in K]?: Of<F[P]> };
export type ObjectOf<F> = Flat<
  Present<F, Exclude<keyof F, OptionalKeys<F>>> & Absent<F, OptionalKeys<F>>
>;
type TagOf<K> = K extends 'true' ? true : K extends 'false' ? false : K;
export type UnionOf<Tag extends string, M> = {
  [K in keyof M]: Flat<{ readonly [T in Tag]: TagOf<K> } & ObjectOf<M[K]>>;
}[keyof M];

const typed = <T>(node: ShapeNode): Typed<T> => ({ node });

export const text = typed<string>({ kind: 'text' });
export const bool = typed<boolean>({ kind: 'bool' });
export const number = typed<number>({ kind: 'number', whole: false });
export const int = typed<number>({ kind: 'number', whole: true });
/** A whole number from 0. */
export const count = typed<number>({ kind: 'number', whole: true, least: 0 });
/** A whole number from 1. */
export const ordinal = typed<number>({ kind: 'number', whole: true, least: 1 });
/** An amount from 0. */
export const amount = typed<number>({ kind: 'number', whole: false, least: 0 });

export function described<S extends Shape>(description: string, shape: S): S {
  return { ...shape, description };
}
export const time = described('Milliseconds since 1970.', int);

export function words<const W extends Word>(...all: readonly W[]): Typed<W> {
  return typed({ kind: 'words', words: all });
}

/** Leaves the type of the shape unresolved, so that a shape may hold itself. */
export function optional<S extends Shape>(shape: S): S & { readonly optional: true } {
  return { ...shape, optional: true };
}

export function list<S extends Shape>(of: S): Typed<readonly Of<S>[]> {
  return typed({ kind: 'list', of });
}
export const names = list(text);

export function map<S extends Shape>(of: S): Typed<Readonly<Record<string, Of<S>>>> {
  return typed({ kind: 'map', of });
}

export function object<const F extends Fields>(fields: F): Typed<ObjectOf<F>> {
  return typed({ kind: 'object', fields });
}

/** Objects that differ by the value of `tag`, which is the key of their fields in `members`. */
export function union<const Tag extends string, const M extends Members>(
  tag: Tag,
  members: M,
): Typed<UnionOf<Tag, M>> {
  return typed({ kind: 'union', tag, members });
}

/** The first shape that fits counts. */
export function either<const S extends readonly Shape[]>(...shapes: S): Typed<Of<S[number]>> {
  return typed({ kind: 'either', shapes });
}

/** A shape that is defined further down. */
export function later(shape: () => Shape): Shape {
  return { node: { kind: 'later', shape } };
}

export function repaired<S extends Shape>(shape: S, repair: (stored: unknown) => unknown): S {
  return { ...shape, repair };
}

/** The place where a stored value does not fit its shape. */
export class Misfit {
  readonly path: string[] = [];
  readonly missing: boolean;

  constructor(stored: unknown) {
    this.missing = stored === undefined;
  }

  at(key: string | number): this {
    this.path.unshift(String(key));
    return this;
  }
}

/**
 * Reads a stored value. What a newer version added stays as it is: further fields, further members of a union and
 * further words. Returns the same object unless something in it was repaired.
 */
export function read<T>(shape: Typed<T>, stored: unknown): T | Misfit {
  return fitted(shape, stored) as T | Misfit;
}

function fitted(shape: Shape, stored: unknown): unknown {
  const found = fitNode(shape.node, stored);
  return found instanceof Misfit && shape.repair !== undefined ? shape.repair(stored) : found;
}

function fitNode(node: ShapeNode, stored: unknown): unknown {
  switch (node.kind) {
    case 'text':
      return typeof stored === 'string' ? stored : new Misfit(stored);
    case 'bool':
      return typeof stored === 'boolean' ? stored : new Misfit(stored);
    case 'number':
      // Ranges are for the JSON Schema: a count that an agent reported wrongly must not make a log unreadable.
      return typeof stored === 'number' ? stored : new Misfit(stored);
    case 'words': {
      const isNewer = typeof stored === 'string' && typeof node.words[0] === 'string';
      return isNewer || node.words.includes(stored as Word) ? stored : new Misfit(stored);
    }
    case 'list':
      if (!Array.isArray(stored)) return new Misfit(stored);
      return fitEach(stored, (each) => fitted(node.of, each));
    case 'map':
      if (!isObject(stored)) return new Misfit(stored);
      return fitEach(stored, (each) => fitted(node.of, each));
    case 'object':
      return isObject(stored) ? fitFields(node.fields, stored) : new Misfit(stored);
    case 'union': {
      if (!isObject(stored)) return new Misfit(stored);
      const tag = stored[node.tag];
      const fields = Object.hasOwn(node.members, String(tag))
        ? node.members[String(tag)]
        : undefined;
      if (fields !== undefined) return fitFields(fields, stored);
      return typeof tag === 'string' ? stored : new Misfit(tag).at(node.tag);
    }
    case 'either': {
      let found: unknown = new Misfit(stored);
      for (const shape of node.shapes) {
        found = fitted(shape, stored);
        if (!(found instanceof Misfit)) break;
      }
      return found;
    }
    case 'later':
      return fitted(node.shape(), stored);
  }
}

type Stored = Record<string, unknown>;

export function isObject(stored: unknown): stored is Stored {
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored);
}

function fitFields(fields: Fields, stored: Stored): unknown {
  let copy: Stored | undefined;
  for (const key in fields) {
    const shape = fields[key];
    const value = stored[key];
    if (shape === undefined || (value === undefined && shape.optional === true)) continue;
    const found = fitted(shape, value);
    if (found instanceof Misfit) return found.at(key);
    if (found !== value) {
      copy ??= { ...stored };
      copy[key] = found;
    }
  }
  return copy ?? stored;
}

function fitEach<C extends unknown[] | Stored>(stored: C, fitOne: (each: unknown) => unknown) {
  let copy: Stored | undefined;
  for (const [key, value] of Object.entries(stored)) {
    const found = fitOne(value);
    if (found instanceof Misfit) return found.at(key);
    if (found !== value) {
      copy ??= (Array.isArray(stored) ? [...stored] : { ...stored }) as Stored;
      copy[key] = found;
    }
  }
  return copy ?? stored;
}
