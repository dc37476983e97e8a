import { type Event, tasksOf } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { sentencesOf } from '../report/explain/sentences.ts';
import type { View } from '../report/view/view.ts';
import { Client, heartbeat, heartbeatMs, messageBytes } from './events.ts';
import { eventLine } from './lines.ts';
import type { Reading, Source } from './source.ts';
import { jsonText, ViewText } from './view-text.ts';

/** Times between two reads of the store while a page is open, and between two views without new events. */
const pollMs = 200;
const viewMs = 1_000;
/** Messages kept for clients that connect again. */
const keptMessages = 500;
const keptBytes = 8 * 1024 * 1024;
const eventsSent = 100;

interface Kept {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * Sends the changes of a project to all pages that show it. They are made once for all of them, and only while there is
 * a page.
 */
export class Channel {
  readonly #source: Source;
  readonly #boot: string;
  readonly #clients = new Set<Client>();
  readonly #view = new ViewText();
  #kept: Kept[] = [];
  #number = 0;
  #head = '';
  #seq = 0;
  #trouble = '';
  #isRunning = false;
  #made: View | undefined;
  #lastAt: number | undefined;
  #isDue = false;
  #isGraphNew = false;
  #viewDue = 0;
  #beatDue = 0;

  /** `boot` names this server: ids of an earlier one are not known to it. */
  constructor(source: Source, boot: string) {
    this.#source = source;
    this.#boot = boot;
  }

  async whole(): Promise<string | Failure> {
    const news = await this.#source.refresh();
    if (!news.ok) return news.failure;
    this.#take(news.value);
    return this.#wholeText();
  }

  /** A new client. `lastId` is the id of the last message that it got before. */
  async join(lastId: string | undefined): Promise<Client> {
    const client = new Client((ended) => this.#clients.delete(ended));
    const before = this.#number;
    const news = await this.#source.refresh();
    if (news.ok) this.#take(news.value);
    this.#greet(client, lastId, before);
    if (!news.ok) client.send(this.#troubleBytes(news.failure));
    this.#clients.add(client);
    if (!this.#isRunning) void this.#run();
    return client;
  }

  close(): void {
    for (const client of this.#clients) {
      client.send(messageBytes('bye', jsonText({ why: 'The server has ended.' })));
      client.close();
    }
  }

  /** Sends what the client missed, or the whole view. */
  #greet(client: Client, lastId: string | undefined, before: number): void {
    const [boot, number] = (lastId ?? '').split('.');
    const oldest = this.#kept[0]?.number ?? this.#number + 1;
    const seen = Number(number);
    const isKnown = boot === this.#boot && seen >= oldest - 1 && seen <= before;
    if (isKnown) {
      for (const { bytes } of this.#kept.filter((kept) => kept.number > seen)) client.send(bytes);
    } else if (this.#head !== '') {
      client.send(messageBytes('view', this.#wholeText(), this.#id()));
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#beatDue = performance.now() + heartbeatMs;
    while (this.#clients.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
      const news = await this.#source.refresh();
      if (news.ok) {
        this.#trouble = '';
        this.#take(news.value);
      } else this.#complain(news.failure);
      if (performance.now() < this.#beatDue) continue;
      this.#beatDue = performance.now() + heartbeatMs;
      for (const client of this.#clients) client.send(heartbeat);
    }
    this.#isRunning = false;
  }

  /** Makes messages of what is new. */
  #take({ follower, view: viewNow, lastAt }: Reading): void {
    const { steps, isNew } = this.#source.takeNews();
    const isSeen = !isNew && this.#head !== '';
    this.#lastAt = lastAt();
    this.#isGraphNew ||= steps.some(({ event }) => changesGraph(event));
    this.#isDue ||= steps.length > 0 || follower.seq !== this.#seq;
    if (!isSeen || this.#isDue || performance.now() >= this.#viewDue) {
      const view = viewNow();
      // The same view again means that a new one is not affordable yet: it is asked for at the next turn.
      if (!isSeen || view !== this.#made) this.#show(view, follower.seq, isSeen);
    }
    if (steps.length === 0) return;
    const events = steps.slice(-eventsSent).map(eventLine);
    this.#broadcast('events', jsonText({ events, skipped: steps.length - events.length }));
  }

  #show(view: View, seq: number, isSeen: boolean): void {
    this.#made = view;
    this.#viewDue = performance.now() + viewMs;
    const isNews = this.#isDue;
    this.#isDue = false;
    this.#seq = seq;
    this.#head = `"seq":${seq},"last":${jsonText({ seq, at: this.#lastAt })}`;
    const change = this.#view.update(view);
    if (!isSeen) this.#restart();
    else if (change !== undefined || isNews) {
      const same = '"set":{},"tasks":[],"gone":[]';
      const graph = this.#isGraphNew;
      this.#isGraphNew = false;
      this.#broadcast('change', `{${this.#head},${change ?? same},"graph":${graph}}`);
    }
  }

  /** Another store: nothing of the messages before is true any more. */
  #restart(): void {
    this.#kept = [];
    this.#broadcast('view', this.#wholeText());
  }

  #wholeText(): string {
    return `{${this.#head},${this.#view.whole()}}`;
  }

  #broadcast(event: string, data: string): void {
    this.#number += 1;
    const bytes = messageBytes(event, data, this.#id());
    this.#kept.push({ number: this.#number, bytes });
    let size = this.#kept.reduce((sum, kept) => sum + kept.bytes.length, 0);
    while (this.#kept.length > keptMessages || size > keptBytes) {
      size -= this.#kept.shift()?.bytes.length ?? 0;
    }
    for (const client of this.#clients) client.send(bytes);
  }

  #complain(failure: Failure): void {
    const text = jsonText(sentencesOf(failure));
    if (text === this.#trouble) return;
    this.#trouble = text;
    for (const client of this.#clients) client.send(this.#troubleBytes(failure));
  }

  #troubleBytes(failure: Failure): Uint8Array {
    return messageBytes('trouble', jsonText({ error: sentencesOf(failure) }));
  }

  #id(): string {
    return `${this.#boot}.${this.#number}.${this.#seq}`;
  }
}

/** True if texts or edges of tasks may be others than before. */
function changesGraph(event: Event): boolean {
  return tasksOf(event).length > 0 && /^task-/.test(event.type);
}
