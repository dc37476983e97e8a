import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { findLog, growingLog } from '../app/log.ts';
import type { Entry } from '../model/action.ts';
import { isLive } from '../model/attempt-state.ts';
import { limits } from '../model/limits.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { settled } from '../model/trouble.ts';
import { recordStateText } from '../report/view/state.ts';
import { EntryReader } from './entries.ts';
import { Client, heartbeat, heartbeatMs, messageBytes } from './events.ts';
import type { Reading, Source } from './source.ts';
import { jsonText } from './view-text.ts';

/** Entries of an output that a new client gets at once. */
const keptEntries = 200;
/** Parts that are read in one go; then other requests have their turn. */
const partsAtOnce = 8;

/** Output of one process of an attempt, with its newest entries. */
interface Output {
  readonly key: string;
  readonly attempt: number;
  readonly part: string;
  readonly reader: EntryReader;
  /** Number of entries so far. */
  total: number;
  entries: Entry[];
}

/** Follows the output of live attempts for all clients: each file is read once, whoever watches it. */
export class Tails {
  readonly #source: Source;
  readonly #clients = new Map<Client, ReadonlySet<TaskId>>();
  readonly #outputs = new Map<TaskId, Output>();
  #isRunning = false;

  constructor(source: Source) {
    this.#source = source;
  }

  join(tasks: readonly TaskId[]): Client {
    const client = new Client((ended) => this.#clients.delete(ended));
    const wanted = new Set(tasks);
    for (const task of wanted) {
      const output = this.#outputs.get(task);
      if (output !== undefined && output.entries.length > 0) {
        client.send(entriesBytes(task, output, output.entries));
      }
    }
    this.#clients.set(client, wanted);
    if (!this.#isRunning) void this.#run();
    return client;
  }

  close(): void {
    for (const client of [...this.#clients.keys()]) client.close();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let beatDue = performance.now() + heartbeatMs;
    while (this.#clients.size > 0) {
      const news = await this.#source.refresh();
      if (news.ok) await this.#readAll(news.value);
      if (performance.now() >= beatDue) {
        beatDue = performance.now() + heartbeatMs;
        for (const client of this.#clients.keys()) client.send(heartbeat);
      }
      await new Promise((resolve) => setTimeout(resolve, limits.followMs).unref());
    }
    this.#outputs.clear();
    this.#isRunning = false;
  }

  async #readAll(reading: Reading): Promise<void> {
    const wanted = new Set([...this.#clients.values()].flatMap((tasks) => [...tasks]));
    for (const task of this.#outputs.keys()) if (!wanted.has(task)) this.#outputs.delete(task);
    for (const task of wanted) await this.#read(reading, task);
  }

  async #read({ opened, follower }: Reading, task: TaskId): Promise<void> {
    const record = follower.state.task(task);
    const key = keyOf(record);
    let output = this.#outputs.get(task);
    if (output !== undefined && output.key !== key) {
      // The process may have written more before it ended.
      await this.#send(task, output, output.reader.more());
      await this.#send(task, output, output.reader.end());
      this.#outputs.delete(task);
      output = undefined;
    }
    if (output === undefined) {
      if (record === undefined || key === undefined) return this.#over(task, record);
      const found = await settled(findLog(opened, task, { shows: 'newest' }));
      if (!found.ok) return;
      const { attempt, files } = found.value;
      const part = basename(files[0] ?? '').replace(/^(\w+)-(\d+).*$/, '$1 $2');
      const log = await growingLog(opened, files, { raw: false }, opened.clock.now);
      output = { key, attempt, part, reader: new EntryReader(log), total: 0, entries: [] };
      this.#outputs.set(task, output);
    }
    await this.#send(task, output, output.reader.more());
  }

  async #send(task: TaskId, output: Output, parts: Generator<readonly Entry[]>): Promise<void> {
    let count = 0;
    const fresh: Entry[] = [];
    for (const part of parts) {
      fresh.push(...part);
      count += 1;
      if (count % partsAtOnce === 0) await nextTurn();
    }
    if (fresh.length === 0) return;
    output.total += fresh.length;
    output.entries = [...output.entries, ...fresh].slice(-keptEntries);
    this.#toWatchers(task, entriesBytes(task, output, fresh.slice(-keptEntries)));
  }

  /** Told once to each client. */
  #over(task: TaskId, record: TaskRecord | undefined): void {
    const attempt = record?.attempt?.number ?? 0;
    const state = record === undefined ? 'gone' : recordStateText(record);
    this.#toWatchers(task, messageBytes('over', jsonText({ task, attempt, state })));
    for (const [client, tasks] of this.#clients) {
      this.#clients.set(client, new Set([...tasks].filter((one) => one !== task)));
    }
  }

  #toWatchers(task: TaskId, bytes: Uint8Array): void {
    for (const [client, tasks] of this.#clients) if (tasks.has(task)) client.send(bytes);
  }
}

/** Changes with every process of a live attempt; undefined without one. */
function keyOf(record: TaskRecord | undefined): string | undefined {
  const attempt = record?.attempt;
  if (attempt === undefined || !isLive(attempt.state)) return undefined;
  const call = attempt.state.id === 'calling' ? attempt.state.call : undefined;
  return [attempt.number, attempt.conversation.turns, call?.kind, call?.round, call?.agent].join();
}

function entriesBytes(task: TaskId, output: Output, entries: readonly Entry[]): Uint8Array {
  const { attempt, part, total } = output;
  const from = total - entries.length;
  return messageBytes('entries', jsonText({ task, attempt, part, from, entries }));
}
