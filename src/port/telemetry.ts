import type { Result } from '../model/failure.ts';

/** Place that telemetry goes to. */
export interface TelemetrySink {
  /** Its address or path, for messages. */
  readonly name: string;
  /** Delivers one request of OTLP as JSON, or gives up when `until` aborts. The failure says why. Never rejects. */
  send(
    signal: 'traces' | 'metrics',
    json: string,
    until: AbortSignal,
  ): Promise<Result<void, string>>;
}
