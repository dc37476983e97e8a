import { constants, type FSWatcher, watch } from 'node:fs';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { noteKinds, noteLimits } from '../model/note.ts';
import { isTaskId } from '../model/task.ts';
import type { AgentAnswer, AgentRequest } from '../model/turn.ts';
import type { Answering, Mailboxes, OpenMailbox } from '../port/mailbox.ts';
import { answerSuffix, requestSuffix, unsealed } from './letter.ts';

/** Mailboxes in folders that agents can write to. `redact` takes secrets out of every text of a request. */
export function folderMailboxes(redact: (text: string) => string): Mailboxes {
  return {
    async open(dir, token, answer) {
      await mkdir(dir, { recursive: true, mode: 0o700 }).catch(nothingOnTrouble);
      return new Folder(dir, token, redact, answer);
    },
  };
}

class Folder implements OpenMailbox {
  readonly #dir: string;
  readonly #token: string;
  readonly #redact: (text: string) => string;
  readonly #answer: Answering;
  readonly #watcher: FSWatcher | undefined;
  readonly #timer: NodeJS.Timeout;
  /** The requests that are being handled; the next sweep waits for them. */
  #sweep: Promise<void> = Promise.resolve();
  /** Thrown by `close`, where the turn can report it. */
  #bug: unknown;

  constructor(dir: string, token: string, redact: (text: string) => string, answer: Answering) {
    this.#dir = dir;
    this.#token = token;
    this.#redact = redact;
    this.#answer = answer;
    this.#watcher = watcherOf(dir, () => void this.#look());
    // Not every file system reports changes.
    this.#timer = setInterval(() => void this.#look(), limits.mailboxPollMs).unref();
    void this.#look();
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    clearInterval(this.#timer);
    await this.#look();
    if (this.#bug !== undefined) throw this.#bug;
  }

  async #look(): Promise<void> {
    const handle = (): Promise<void> => this.#handleAll();
    this.#sweep = this.#sweep.then(handle).catch((error: unknown) => {
      this.#bug ??= error;
    });
    await this.#sweep;
  }

  async #handleAll(): Promise<void> {
    const names = await readdir(this.#dir).catch(nothingOnTrouble);
    for (const name of names.filter((one) => one.endsWith(requestSuffix)).sort()) {
      const id = name.slice(0, -requestSuffix.length);
      const text = await boundedText(join(this.#dir, name));
      if (text === undefined) continue;
      await this.#reply(id, await this.#handle(text));
      await rm(join(this.#dir, name), { force: true });
    }
  }

  async #handle(text: string): Promise<AgentAnswer> {
    const found = unsealed(this.#token, text);
    if (found === undefined) return refused('it was not signed with the token of this attempt');
    const request = requestShape.safeParse(this.#withoutSecrets(found));
    if (!request.success) return refused('it is not a request of `ym agent`');
    return this.#answer(request.data);
  }

  #withoutSecrets(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (_, one) =>
      typeof one === 'string' ? this.#redact(one) : one,
    );
  }

  /** Never writes through a link or over a file that the agent put there. */
  async #reply(id: string, answer: AgentAnswer): Promise<void> {
    const draft = join(this.#dir, `${id}${answerSuffix}`);
    await writeFile(draft, JSON.stringify(answer), { flag: 'wx', mode: 0o600 }).catch(
      nothingOnTrouble,
    );
  }
}

/** Text of a plain file of a request's size. Undefined if it is a link, too large or gone. */
async function boundedText(file: string): Promise<string | undefined> {
  const handle = await open(
    file,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch(nothingOnTrouble);
  if (!('stat' in handle)) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > limits.mailboxBytes) return undefined;
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Reports changes in a folder at once. Undefined if it cannot be watched; its owner may remove it at any time. */
function watcherOf(dir: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dir, { persistent: false }, changed);
    return watcher.on('error', () => watcher.close());
  } catch (error) {
    nothingOnTrouble(error);
    return undefined;
  }
}

/** An agent that damages its own mailbox must not end the run. */
function nothingOnTrouble(error: unknown): readonly [] {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return [];
  throw error;
}

function refused(problem: string): AgentAnswer {
  const failure: Failure = { kind: 'call-refused', problem };
  return { ok: false, failures: [failure] };
}

const text = z.string().min(1).max(limits.agentTextChars);
const ids = z.array(z.string().refine(isTaskId)).max(limits.claimIds);
const call = z.discriminatedUnion('id', [
  z.strictObject({ id: z.literal('complete') }),
  z.strictObject({ id: z.literal('gave-up'), message: text }),
  z.strictObject({ id: z.literal('ask'), question: text }),
  z.strictObject({ id: z.literal('report'), about: z.string().max(40), text }),
  z.strictObject({ id: z.literal('next'), ids }),
]);
/** Agents can write any text into their mailbox: nothing is taken from it that `ym agent` could not have sent. */
const requestShape: z.ZodType<AgentRequest> = z.discriminatedUnion('id', [
  z.strictObject({ id: z.literal('report'), calls: z.array(call).max(2) }),
  z.strictObject({ id: z.literal('claim'), ids: ids.min(1) }),
  z.strictObject({
    id: z.literal('note'),
    found: z.strictObject({
      kind: z.enum(noteKinds),
      text: z.string().min(1).max(noteLimits.chars),
      supersedes: z.int().min(1).exactOptional(),
    }),
  }),
  z.strictObject({
    id: z.literal('follow-up'),
    found: z.strictObject({
      title: z.string().min(1).max(limits.titleChars),
      body: z.string().max(limits.bodyChars).exactOptional(),
      type: z.string().max(100).exactOptional(),
      priority: z.int().min(0).max(4).exactOptional(),
    }),
    after: ids,
  }),
]);
