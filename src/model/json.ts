import { Misfit, read, type Typed } from './shape.ts';

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
