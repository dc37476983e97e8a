import { type Failure, fail, ok, type Result } from './failure.ts';

/*
 * Expected trouble is thrown, and caught once on each edge: the loop of the engine, a worker, the command line, the web
 * server, the daemon, MCP and the library. Any other error is a bug. Rooms that still answer with a `Result` meet it here.
 */

/** `failure` is what the edge shows, stores or answers. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind === 'trouble' ? failure.what : failure.kind);
    this.failure = failure;
  }
}

/** Whose trouble it is, and the sentences that a person reads: what happened, why, and what to do. */
type About = Omit<Extract<Failure, { kind: 'trouble' }>, 'kind' | 'code'>;

/** Trouble with its sentences, where the facts are. Throw it. */
export function trouble(code: string, about: About): Trouble {
  return new Trouble({ kind: 'trouble', code, ...about });
}

/** The value of a room that still answers with a `Result`; its failure is thrown. */
export function take<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Trouble(result.failure);
}

/** The value of work that throws trouble, or that trouble, for code that handles both. A bug is thrown on. */
export function outcomeOf<T>(work: Promise<T>): Promise<Result<T>> {
  return work.then(ok, asFailure);
}

/** `outcomeOf` of work that is done at once. */
export function tried<T>(work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (error) {
    return asFailure(error);
  }
}

/** `outcomeOf` of work that may also answer with a failure. */
export function settled<T, F>(work: Promise<Result<T, F>>): Promise<Result<T, F | Failure>> {
  return work.catch(asFailure);
}

/** `outcomeOf` of work that may also answer with several failures. */
export function settledAll<T>(
  work: Promise<Result<T, readonly Failure[]>>,
): Promise<Result<T, readonly Failure[]>> {
  return work.catch((error: unknown) => fail([asFailure(error).failure]));
}

function asFailure(error: unknown): { readonly ok: false; readonly failure: Failure } {
  if (error instanceof Trouble) return { ok: false, failure: error.failure };
  throw error;
}

/** The failure of anything thrown. What the file system throws is trouble with the machine; any other error is a bug. */
export function caught(error: unknown): Failure {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return internal(error);
  const path = 'path' in error ? String(error.path) : '';
  const dir = path.slice(0, Math.max(0, path.lastIndexOf('/'))) || path;
  return { kind: 'state-unwritable', dir, cause: error.message };
}

/** The failure of anything thrown, where the file system is not used: an error that is no trouble is a bug. */
export function internal(error: unknown): Failure {
  if (error instanceof Trouble) return error.failure;
  if (!(error instanceof Error)) return { kind: 'internal', message: String(error) };
  const { message, stack } = error;
  return { kind: 'internal', message, stack };
}
