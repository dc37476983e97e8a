/** Types of the JSON encoding of OTLP, as far as they are used. Integers of 64 bits are texts in it. */

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean };

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: typeof internalSpan;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: 0 | 1 } | { readonly code: 2; readonly message: string };
}

export const internalSpan = 1;

interface Point {
  readonly attributes: readonly Attribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

type NumberPoint = Point & ({ readonly asInt: string } | { readonly asDouble: number });

export interface HistogramPoint extends Point {
  readonly count: string;
  readonly sum: number;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
}

/** AGGREGATION_TEMPORALITY_CUMULATIVE: a point counts from the start of the run. */
export const cumulative = 2;

interface About {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
}

export type Metric = About &
  (
    | {
        readonly sum: {
          readonly dataPoints: readonly NumberPoint[];
          readonly aggregationTemporality: typeof cumulative;
          readonly isMonotonic: true;
        };
      }
    | {
        readonly histogram: {
          readonly dataPoints: readonly HistogramPoint[];
          readonly aggregationTemporality: typeof cumulative;
        };
      }
  );

/** A number that may be whole by chance is given as `doubleValue`, so that its type never changes. */
export type Plain = string | number | boolean | { readonly doubleValue: number } | undefined;

/** Attributes without those that are undefined. */
export function attributesOf(values: Readonly<Record<string, Plain>>): readonly Attribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );
}

function otlpValue(value: NonNullable<Plain>): Value {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return typeof value === 'number' ? { intValue: String(value) } : value;
}

/** Nanoseconds since 1970, as text: a number could not hold them. */
export function nanos(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

/** Identity of what sends: one run of one project. */
export interface Sender {
  readonly run: string;
  readonly project: string;
}

const scope = { name: 'yardmaster' };

function resourceOf({ run, project }: Sender) {
  return {
    attributes: attributesOf({
      'service.name': 'yardmaster',
      'service.instance.id': run,
      'yardmaster.project.id': project,
    }),
  };
}

/** Body of a request to `/v1/traces`. */
export function tracesRequest(sender: Sender, spans: readonly Span[]) {
  return { resourceSpans: [{ resource: resourceOf(sender), scopeSpans: [{ scope, spans }] }] };
}

/** Body of a request to `/v1/metrics`. */
export function metricsRequest(sender: Sender, metrics: readonly Metric[]) {
  return {
    resourceMetrics: [{ resource: resourceOf(sender), scopeMetrics: [{ scope, metrics }] }],
  };
}
