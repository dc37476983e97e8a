import { createHash } from 'node:crypto';
import { profilesOf } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { runsDir } from '../files/layout.ts';
import { deliveredSpans, noteDelivered } from '../files/telemetry-file.ts';
import { changedBy } from '../files/writer.ts';
import type { Event } from '../model/event.ts';
import { type AttemptRecord, driverOf, endedAt, type RunHistory } from '../model/history.ts';
import { limits } from '../model/limits.ts';
import type { QueueStep } from '../model/queue-history.ts';
import type { Records } from '../model/records.ts';
import type { RunId } from '../model/run.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { Clock } from '../port/processes.ts';
import type { Store } from '../port/store.ts';
import type { TelemetrySink } from '../port/telemetry.ts';
import { agentMetrics, runMetrics } from '../report/telemetry/metrics.ts';
import {
  type Metric,
  metricsRequest,
  type Sender,
  type Span,
  tracesRequest,
} from '../report/telemetry/otlp.ts';
import type { SpanOptions } from '../report/telemetry/span-part.ts';
import { spansOfRun, spansSoFar } from '../report/telemetry/spans.ts';
import type { Project } from './ports.ts';

/** Records that the whole trace of a run is made of. */
interface Traced {
  readonly run: RunRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly history: RunHistory | undefined;
  readonly queue: readonly QueueStep[];
}

/** Traces and metrics of one run on their way to the places that the config names. */
export interface Telemetry {
  /** Takes a step that an event adds to the history of the merge queue, before `on` is called with that event. */
  readonly onQueueStep: (run: RunId, step: QueueStep) => void;
  /** Sends attempts and gates that the event ended. `records` include the event. Never waits and never throws. */
  on(event: Event, records: Records): void;
  /** Reads what the end needs; undefined if nothing is sent or the store cannot be read. */
  read(store: Store): Promise<Traced | undefined>;
  /** Sends what was not sent before, and returns messages about what was not delivered. Takes a bounded time. */
  end(traced: Traced | undefined): Promise<readonly string[]>;
}

export async function openTelemetry(
  project: Pick<Project, 'id' | 'clock' | 'dir' | 'telemetrySinks'>,
  config: Config,
  run: RunId,
): Promise<Telemetry> {
  const sinks = await project.telemetrySinks(config);
  const profiles = profilesOf(config);
  const providerOf = (agent: string): string => {
    const use = profiles.get(agent)?.use ?? agent;
    return providers.get(use) ?? use;
  };
  const sender = { run, project: project.id };
  const options = { hash: hashOf, providerOf };
  const dir = runsDir(project);
  const exports = sinks.map((sink) => new Export(sink, sender, { ...options, dir }, project.clock));
  return {
    onQueueStep(of, step) {
      if (of === run) for (const one of exports) one.onQueueStep(step);
    },
    on(event, records) {
      for (const one of exports) one.on(event, records);
    },
    async read(store) {
      if (exports.length === 0) return undefined;
      const record = await store.run(run);
      const attempts = await store.attempts({ run });
      const history = await store.runHistory(run);
      const queue = await store.queueSteps(run);
      if (!record.ok || !attempts.ok || !history.ok || !queue.ok) return undefined;
      if (record.value === undefined) return undefined;
      return {
        run: record.value,
        attempts: attempts.value,
        history: history.value,
        queue: queue.value,
      };
    },
    async end(traced) {
      if (traced === undefined) return [];
      return (await Promise.all(exports.map((one) => one.end(traced)))).flat();
    },
  };
}

/** Providers by `use:` of a profile, as the semantic conventions name them; any other is named after its program. */
const providers: ReadonlyMap<string, string> = new Map([
  ['claude', 'anthropic'],
  ['codex', 'openai'],
  ['gemini', 'gcp.gemini'],
]);

function hashOf(text: string, bytes: number): string {
  return createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * bytes);
}

/**
 * Requests to one place, one after the other. The first one that fails is the last before the end of the run: then
 * everything that was not sent is sent, so nothing has to be kept for that.
 */
class Export {
  readonly #sink: TelemetrySink;
  readonly #sender: Sender;
  readonly #options: SpanOptions;
  readonly #clock: Clock;
  /** Aborts when the time after the end of the run is up. */
  readonly #late = new AbortController();
  /** Ids of spans that were delivered, also by earlier processes of the run. */
  readonly #sent: Set<string>;
  readonly #note: (spans: readonly string[]) => Promise<void>;
  #waiting: AttemptRecord[] = [];
  #gates: QueueStep[] = [];
  #sending: Promise<void> | undefined;
  #trouble: string | undefined;
  /** The first refusal of a part of a request. */
  #refused: string | undefined;

  constructor(
    sink: TelemetrySink,
    sender: Sender,
    { dir, ...options }: SpanOptions & { readonly dir: string },
    clock: Clock,
  ) {
    const { run } = sender;
    this.#sent = new Set(deliveredSpans(dir, run, sink.name));
    this.#note = (spans) => noteDelivered(dir, run, sink.name, spans);
    this.#sink = sink;
    this.#sender = sender;
    this.#options = options;
    this.#clock = clock;
  }

  onQueueStep(step: QueueStep): void {
    if (this.#trouble === undefined && step.what.type === 'gated') this.#gates.push(step);
  }

  on(event: Event, records: Records): void {
    if (this.#trouble !== undefined) return;
    const ended = changedBy(event, records).filter(
      (one) => driverOf(one) === this.#sender.run && endedAt(one) !== undefined,
    );
    this.#waiting.push(...ended);
    if (!this.#isWaiting) return;
    this.#sending ??= this.#sendWaiting(records);
  }

  async end(traced: Traced): Promise<readonly string[]> {
    const done = new AbortController();
    const limit = this.#clock.sleep(limits.telemetryEndMs, done.signal);
    const late = limit.then(() => this.#late.abort());
    await this.#sending;
    this.#trouble = undefined;
    const source = { ...traced, now: this.#clock.now() };
    await this.#deliver(spansOfRun(traced, this.#options), [
      ...runMetrics(source),
      ...agentMetrics(source, this.#options.providerOf),
    ]);
    done.abort();
    await late;
    const cause = this.#trouble ?? this.#refused;
    if (cause === undefined) return [];
    return [
      `Some telemetry of the run was not delivered to ${this.#sink.name}: ${cause}. Check \`telemetry\` in the config with \`ym config\`.`,
    ];
  }

  get #isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#gates.length > 0;
  }

  async #sendWaiting(records: Records): Promise<void> {
    // Collects everything that the current tick ends.
    await Promise.resolve();
    while (this.#isWaiting && this.#trouble === undefined) {
      const run = records.run(this.#sender.run);
      const [ended, queue] = [this.#waiting, this.#gates];
      this.#waiting = [];
      this.#gates = [];
      if (run === undefined) break;
      const history = records.runHistory(run.id);
      const judged = [...new Set(queue.flatMap((step) => attemptsIn(step, records)))];
      await this.#deliver(
        spansSoFar(run, ended, { queue, judged }, this.#options),
        runMetrics({ run, history, now: this.#clock.now() }),
      );
    }
    this.#waiting = [];
    this.#gates = [];
    this.#sending = undefined;
  }

  /** Sends the spans that were not sent before, then the metrics, up to the first failure. */
  async #deliver(all: readonly Span[], metrics: readonly Metric[]): Promise<void> {
    const spans = all.filter(({ spanId }) => !this.#sent.has(spanId));
    for (let at = 0; at < spans.length; at += limits.telemetrySpans) {
      const some = spans.slice(at, at + limits.telemetrySpans);
      await this.#send('traces', tracesRequest(this.#sender, some));
      if (this.#trouble !== undefined) return;
      const ids = some.map(({ spanId }) => spanId);
      for (const id of ids) this.#sent.add(id);
      await this.#note(ids);
    }
    await this.#send('metrics', metricsRequest(this.#sender, metrics));
  }

  async #send(signal: 'traces' | 'metrics', request: object): Promise<void> {
    const sent = await this.#sink.send(signal, JSON.stringify(request), this.#late.signal);
    if (!sent.ok) this.#trouble = sent.failure;
    else this.#refused ??= sent.value;
  }
}

/** Attempts whose branches a gate judged together. */
function attemptsIn({ what }: QueueStep, records: Records): readonly AttemptRecord[] {
  if (what.type !== 'gated' || what.run.work.id !== 'candidate') return [];
  return what.run.work.tasks.flatMap((task) => {
    const number = records.task(task)?.attempt?.number;
    return (number === undefined ? undefined : records.attempt(task, number)) ?? [];
  });
}
