import { existsSync, lstatSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { DaemonAnswer, type DaemonRequest, daemonLimits } from '../model/daemon.ts';
import { fail, ok, type Result, usage } from '../model/failure.ts';
import { readJson } from '../model/shape.ts';
import { isSystemError } from '../process/identity.ts';

type Answers = { readonly [A in DaemonAnswer as A['answer']]: A };

/** The answer that each request gets if it is not refused. */
interface AnswerTo {
  readonly status: Answers['status'];
  readonly enroll: Answers['done'];
  readonly submit: Answers['submitted'];
  readonly submission: Answers['submission'];
  readonly stop: Answers['done'];
  readonly reload: Answers['reloaded'];
}

/** The daemon as another process sees it. */
export interface DaemonClient {
  /** Undefined if no daemon is running. */
  ask<A extends DaemonRequest['ask']>(
    request: Extract<DaemonRequest, { readonly ask: A }>,
  ): Promise<Result<AnswerTo[A] | undefined>>;
}

export function daemonClient(socket: string, version: string): DaemonClient {
  return {
    async ask(request) {
      if (!existsSync(socket)) return ok(undefined);
      const own = ownSocket(socket);
      if (!own.ok) return own;
      const line = await exchange(socket, `${JSON.stringify({ version, request })}\n`);
      if (!line.ok || line.value === undefined) return line.ok ? ok(undefined) : line;
      const answer = readJson(DaemonAnswer, line.value);
      if (answer === undefined) return usage('the answer of the daemon is not readable', restart);
      if (answer.answer === 'refused') return fail(answer.failure);
      // The daemon gives each request its own answer; see `AnswerTo`.
      return ok(answer as never);
    },
  };
}

/** A request holds the environment, so it goes to a socket only that no other user can have made. */
function ownSocket(socket: string): Result<void> {
  const dir = dirname(socket);
  const user = process.getuid?.();
  const isOwn = [lstatSync(dir), statSync(dir), lstatSync(socket)].every(({ uid }) => uid === user);
  // A folder that others can write to lets them replace the socket.
  if (isOwn && (statSync(dir).mode & 0o022) === 0) return ok(undefined);
  const why = isOwn ? 'can be changed by other users' : 'belongs to another user';
  return usage(`${dir} ${why}, so the daemon there is not trusted`, `Check and remove ${dir}.`);
}

const restart = 'Restart it with `ym daemon stop` and `ym daemon start`.';

/** Error codes of a socket that no process listens on, or whose process ends. */
const absent = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'EPIPE', 'ECONNRESET']);

function exchange(path: string, line: string): Promise<Result<string | undefined>> {
  return new Promise((resolve) => {
    let read = '';
    const socket = connect(path);
    const refuse = (problem: string, remedy: string): void => {
      resolve(usage(problem, remedy));
      socket.destroy();
    };
    socket.setEncoding('utf8');
    socket.setTimeout(daemonLimits.answerMs, () =>
      refuse('the daemon does not answer', `See \`ym daemon logs\`. ${restart}`),
    );
    socket.once('connect', () => socket.write(line));
    socket.on('data', (piece) => {
      read += String(piece);
      const end = read.indexOf('\n');
      if (end < 0) return;
      resolve(ok(read.slice(0, end)));
      socket.destroy();
    });
    // A daemon that ended before it answered is none.
    socket.once('close', () => resolve(ok(undefined)));
    socket.once('error', (error) => {
      if (isSystemError(error) && absent.has(String(error.code))) resolve(ok(undefined));
      else refuse(`the daemon cannot be reached (${error.message})`, `Check ${path}.`);
    });
  });
}
