import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLive } from '../model/attempt.ts';
import { fail, ok } from '../model/failure.ts';
import { stateOf } from '../plan/record.ts';
import { attemptFolder } from '../wire/files.ts';
import { projectConfig } from '../wire/project.ts';
import { type RedactedPieces, type Redactor, redactorFor } from '../wire/secrets.ts';
import { taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';

const bytesDefault = 64 * 1024;
const pieceBytes = 64 * 1024;
const followMs = 200;

/** What the agent or the gate of an attempt printed, straight from the files the child wrote itself. */
export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ project, store }) => {
    const id = call.args[0] ?? '';
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const attempt = call.options.number('attempt') ?? record.value.attempts;
    const started = await store.events({ task: id });
    if (!started.ok) return started;
    const run = started.value.findLast(
      (event) => event.type === 'attempt-started' && event.attempt === attempt,
    );
    const dir =
      run !== undefined && 'run' in run ? attemptFolder(project, run.run, id, attempt) : '';
    const files = filesOf(dir, call);
    if (files.length === 0) {
      const problem =
        attempt === 0 ? `no attempt at "${id}" has started yet` : 'nothing was printed yet';
      return fail({ kind: 'usage', problem, remedy: `See \`ym why ${id}\`.` });
    }
    const limit = call.options.number('bytes') ?? bytesDefault;
    const follows = call.options.flag('follow') && !call.global.quiet;
    if (follows) remark(`${id}, attempt ${attempt}, ${namesOf(files)}`);
    const config = projectConfig(project);
    const redact = redactorFor(config.ok ? config.value : { agents: {} }, process.env);
    const shown = files.map((file) => new Shown(file, start(file, limit), redact));
    for (const file of shown) file.more();
    if (!call.options.flag('follow')) {
      for (const file of shown) file.end();
      return ok(0);
    }
    for (;;) {
      for (const file of shown) file.more();
      const now = await store.task(id);
      if (!now.ok) return now;
      const live = now.value?.attempt?.number === attempt && isLive(now.value.attempt.state);
      if (!live) {
        for (const file of shown) file.end();
        const state = now.value === undefined ? 'gone' : stateOf(now.value);
        if (follows) remark(`attempt ${attempt} is over; ${id} is ${state} now`);
        return ok(0);
      }
      await sleep(followMs);
    }
  });
}

/** Beside the log, not in it. */
function remark(text: string): void {
  process.stderr.write(`ym: ${text}\n`);
}

/** `turn 2`, from the names of its files. */
function namesOf(files: readonly string[]): string {
  const words = files.map((file) => basename(file).replace(/^(\w+)-(\d+).*$/, '$1 $2'));
  return [...new Set(words)].join(', ');
}

/** Standard output before standard error, of the turn or gate that is asked for. */
function filesOf(dir: string, call: Call): string[] {
  if (dir === '' || !existsSync(dir)) return [];
  const kind = call.options.flag('gate') ? 'gate' : 'turn';
  const wanted = call.options.number('turn');
  const names = readdirSync(dir).filter((name) => /\.(out|err)$/.test(name));
  const turns = names.flatMap((name) => {
    const [, found, turn] = /^(turn|gate)-(\d+)/.exec(name) ?? [];
    return found === kind ? [Number(turn)] : [];
  });
  const turn = wanted ?? Math.max(0, ...turns);
  return names
    .filter((name) => name.startsWith(`${kind}-${turn}.`) || name.startsWith(`${kind}-${turn}-`))
    .sort((a, b) => Number(a.endsWith('.err')) - Number(b.endsWith('.err')) || a.localeCompare(b))
    .map((name) => join(dir, name));
}

function start(file: string, limit: number): number {
  if (limit === 0) return 0;
  const fd = openSync(file, 'r');
  try {
    return Math.max(0, fstatSync(fd).size - limit);
  } finally {
    closeSync(fd);
  }
}

/** One file that is shown from a place on, and again when it has grown. Secrets are taken out on the way. */
class Shown {
  readonly #file: string;
  readonly #words = new StringDecoder('utf8');
  readonly #pieces: RedactedPieces;
  #at: number;

  constructor(file: string, from: number, redact: Redactor) {
    this.#file = file;
    this.#at = from;
    this.#pieces = redact.pieces();
  }

  /** Shows what there is now, piece by piece, so that a large file costs no memory. */
  more(): void {
    const fd = openSync(this.#file, 'r');
    const piece = Buffer.alloc(pieceBytes);
    try {
      for (;;) {
        const read = readSync(fd, piece, 0, piece.length, this.#at);
        if (read === 0) return;
        this.#at += read;
        process.stdout.write(this.#pieces.push(this.#words.write(piece.subarray(0, read))));
      }
    } finally {
      closeSync(fd);
    }
  }

  /** Nothing more will come: what was held back, because a secret might have begun in it, is shown. */
  end(): void {
    process.stdout.write(this.#pieces.push(this.#words.end()) + this.#pieces.end());
  }
}
