import type { Result } from '../model/failure.ts';

/** Place that telemetry goes to. */
export interface TelemetrySink {
  /** Its address or path, for messages. */
  readonly name: string;
  /**
   * Delivers one request of OTLP as JSON, or gives up when `until` aborts. The failure says why. A text means that a part
   * was refused for good, so sending it again would not help. Never rejects.
   */
  send(
    signal: 'traces' | 'metrics',
    json: string,
    until: AbortSignal,
  ): Promise<Result<string | undefined, string>>;
}
