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
  | { readonly kind: 'words'; readonly words: readonly Word[]; readonly closed?: true }
  | { readonly kind: 'list' | 'map'; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: Fields }
  | {
      readonly kind: 'union';
      readonly tag: string;
      readonly members: Members;
      /** Other members do not fit. */
      readonly closed: boolean;
      /** Other fields do not fit either. */
      readonly exact?: true;
    }
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
/** Words that decisions depend on: any other does not fit. */
export function closedWords<const W extends Word>(...all: readonly W[]): Typed<W> {
  return typed({ kind: 'words', words: all, closed: true });
}

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
  return typed({ kind: 'union', tag, members, closed: false });
}

/** A union that decisions depend on: a stored value that is none of its members does not fit. */
export function closedUnion<const Tag extends string, const M extends Members>(
  tag: Tag,
  members: M,
): Typed<UnionOf<Tag, M>> {
  return typed({ kind: 'union', tag, members, closed: true });
}

/** A closed union of requests: one with a field that its member does not have does not fit. */
export function exactUnion<const Tag extends string, const M extends Members>(
  tag: Tag,
  members: M,
): Typed<UnionOf<Tag, M>> {
  return typed({ kind: 'union', tag, members, closed: true, exact: true });
}

/** Adds `more` to the fields of every member. */
export function withFields<const F extends Fields, const M extends Members>(more: F, members: M) {
  const all = Object.entries(members).map(([key, fields]) => [key, { ...more, ...fields }]);
  return Object.fromEntries(all) as { readonly [K in keyof M]: F & M[K] };
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
  readonly #fault: string;

  constructor(stored: unknown, fault = stored === undefined ? 'no' : 'a wrong') {
    this.missing = stored === undefined;
    this.#fault = fault;
  }

  at(key: string | number): this {
    this.path.unshift(String(key));
    return this;
  }

  /** Predicate of a sentence about the stored value. */
  toString(): string {
    if (this.path.length === 0) return 'is not readable';
    return `has ${this.#fault} "${this.path.join('.')}"`;
  }
}

/**
 * Reads a stored value. What a newer version added stays as it is: further fields, further members of a union that is
 * not closed, and further words. Returns the same object unless something in it was repaired.
 */
export function read<T>(shape: Typed<T>, stored: unknown): T | Misfit {
  return readerOf(shape)(stored) as T | Misfit;
}

/** Returns the stored value, a copy with repaired parts, or a `Misfit`. */
type Reader = (stored: unknown) => unknown;

/** Readers are made on first use: most programs read few of the shapes that they load. */
const readers = new WeakMap<Shape, Reader>();

function readerOf(shape: Shape): Reader {
  let reader = readers.get(shape);
  if (reader === undefined) {
    reader = repairing(nodeReader(shape.node), shape.repair);
    readers.set(shape, reader);
  }
  return reader;
}

function repairing(reader: Reader, repair: Shape['repair']): Reader {
  if (repair === undefined) return reader;
  return (stored) => {
    const found = reader(stored);
    return found instanceof Misfit ? repair(stored) : found;
  };
}

function nodeReader(node: ShapeNode): Reader {
  switch (node.kind) {
    case 'text':
    case 'bool':
    case 'number':
    case 'words': {
      const type = plainType(node);
      const isWord = (stored: unknown) =>
        node.kind === 'words' && node.words.includes(stored as Word);
      return (stored) => (typeof stored === type || isWord(stored) ? stored : new Misfit(stored));
    }
    case 'list':
      return listReader(readerOf(node.of));
    case 'map':
      return mapReader(readerOf(node.of));
    case 'object':
      return objectReader(node.fields);
    case 'union':
      return unionReader(node);
    case 'either': {
      const each = node.shapes.map(readerOf);
      return (stored) => {
        let found: unknown = new Misfit(stored);
        for (const reader of each) {
          found = reader(stored);
          if (!(found instanceof Misfit)) break;
        }
        return found;
      };
    }
    case 'later':
      return (stored) => readerOf(node.shape())(stored);
  }
}

type Stored = Record<string, unknown>;

export function isObject(stored: unknown): stored is Stored {
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored);
}

function unionReader({
  tag,
  members,
  closed,
  exact,
}: Extract<ShapeNode, { readonly kind: 'union' }>): Reader {
  const byTag = new Map<unknown, Reader>();
  return (stored) => {
    if (!isObject(stored)) return new Misfit(stored);
    const key = stored[tag];
    let reader = byTag.get(key);
    if (reader === undefined) {
      const name = String(key);
      const fields = Object.hasOwn(members, name) ? members[name] : undefined;
      if (fields === undefined) {
        return typeof key === 'string' && !closed ? stored : new Misfit(key).at(tag);
      }
      reader = exact ? exactReader({ [tag]: text, ...fields }) : objectReader(fields);
      byTag.set(key, reader);
    }
    return reader(stored);
  };
}

/** The `typeof` of every value that fits, if nothing else about the value matters. */
function plainType(node: ShapeNode): string | undefined {
  switch (node.kind) {
    case 'text':
      return 'string';
    case 'bool':
      return 'boolean';
    case 'number':
      // Ranges are for the JSON Schema: a count that an agent reported wrongly must not make a log unreadable.
      return 'number';
    case 'words':
      return typeof node.words[0] === 'string' && !node.closed ? 'string' : undefined;
    default:
      return undefined;
  }
}

function objectReader(fields: Fields): Reader {
  const each = Object.entries(fields).map(([key, shape]) => ({
    key,
    type: plainType(shape.node),
    isOptional: shape.optional === true,
    reader: readerOf(shape),
  }));
  return (stored) => {
    if (!isObject(stored)) return new Misfit(stored);
    let copy: Stored | undefined;
    for (const { key, type, isOptional, reader } of each) {
      const value = stored[key];
      // Most fields end here, without a call.
      if (typeof value === type || (value === undefined && isOptional)) continue;
      const found = reader(value);
      if (found === value) continue;
      if (found instanceof Misfit) return found.at(key);
      copy ??= { ...stored };
      copy[key] = found;
    }
    return copy ?? stored;
  };
}

function exactReader(fields: Fields): Reader {
  const reader = objectReader(fields);
  return (stored) => {
    const other = Object.keys(stored as Stored).find((key) => !Object.hasOwn(fields, key));
    return other === undefined ? reader(stored) : new Misfit(null, 'an unknown').at(other);
  };
}

function listReader(reader: Reader): Reader {
  return (stored) => {
    if (!Array.isArray(stored)) return new Misfit(stored);
    let copy: unknown[] | undefined;
    for (let index = 0; index < stored.length; index += 1) {
      const found = reader(stored[index]);
      if (found === stored[index]) continue;
      if (found instanceof Misfit) return found.at(index);
      copy ??= [...stored];
      copy[index] = found;
    }
    return copy ?? stored;
  };
}

function mapReader(reader: Reader): Reader {
  return (stored) => {
    if (!isObject(stored)) return new Misfit(stored);
    let copy: Stored | undefined;
    for (const [key, value] of Object.entries(stored)) {
      const found = reader(value);
      if (found === value) continue;
      if (found instanceof Misfit) return found.at(key);
      copy ??= { ...stored };
      copy[key] = found;
    }
    return copy ?? stored;
  };
}

/** Reads a value of this shape from JSON; undefined if the text is not JSON or does not fit. */
export function readJson<T>(shape: Typed<T>, text: string): T | undefined {
  const found = read(shape, parseJson(text));
  return found instanceof Misfit ? undefined : found;
}

/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
