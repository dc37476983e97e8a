import { readFile, stat } from 'node:fs/promises';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';

const mebibyte = 1024 * 1024;

/** Reads one file of a source. `name` is its name in messages. */
export async function readText(file: string, name: string): Promise<Result<string>> {
  try {
    const { size } = await stat(file);
    if (size > limits.sourceBytes) return fail(tooBig(name));
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)));
  } catch (error) {
    return fail(unreadable(name, error));
  }
}

export function tooBig(name: string): Failure {
  return {
    kind: 'source-invalid',
    file: name,
    problem: `it is larger than ${limits.sourceBytes / mebibyte} MiB`,
    remedy: 'Split it into several files.',
  };
}

export function unreadable(name: string, error: unknown): Failure {
  const isText = !(error instanceof TypeError);
  const cause = error instanceof Error ? error.message : String(error);
  return {
    kind: 'source-invalid',
    file: name,
    problem: isText ? `it cannot be read (${cause})` : 'it is not UTF-8 text',
    remedy: isText ? 'Check that it is there and that you may read it.' : 'Save it as UTF-8.',
  };
}
