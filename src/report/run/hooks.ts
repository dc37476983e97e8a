import { type HookPoint, hookPoints } from '../../model/hook.ts';
import { cut } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { dayTime } from '../format/time.ts';

interface Delivery {
  readonly id: string;
  readonly point: string;
  readonly at: number;
  readonly events: number;
  readonly tries: number;
  /** Why it was given up. */
  readonly cause?: string;
}

/** A hook with its deliveries in the newest runs. */
export interface HookRow {
  readonly name: string;
  readonly use: string;
  readonly receiver: string;
  readonly on: readonly HookPoint[];
  readonly types?: readonly string[];
  readonly labels?: readonly string[];
  /** Events that were delivered, and that were given up. */
  readonly sent: number;
  readonly failed: number;
  readonly lastSent?: Delivery;
  readonly lastFailed?: Delivery;
  /** Newest first. */
  readonly recent: readonly Delivery[];
}

/** Result of sending a sample. */
export type HookTry =
  | { readonly hook: string; readonly ok: true }
  | { readonly hook: string; readonly ok: false; readonly cause: string };

/** Hooks that runs call, and names of those in the checkout's config that they do not. */
interface ListedHooks {
  readonly hooks: readonly HookRow[];
  readonly uncommitted: readonly string[];
}

/** `ym hooks`: one row for each hook, then its last failures. */
export function hooksText(
  { hooks, uncommitted }: ListedHooks,
  style: Style,
  width: number,
  offsetMin: number,
): readonly string[] {
  const pending = uncommitted.map((name) =>
    style.yellow(
      `${name} is in your yardmaster.yaml, but not committed to the target. No run calls it until then.`,
    ),
  );
  if (hooks.length === 0 && pending.length > 0) return pending;
  if (hooks.length === 0) {
    return ['No hooks are configured. See docs/hooks.md, and add one to `hooks` in the config.'];
  }
  const rows = hooks.map((hook) => [
    hook.name,
    hook.use,
    pointsText(hook.on),
    String(hook.sent),
    { text: String(hook.failed), ...(hook.failed > 0 && { paint: style.yellow }) },
    hook.lastSent === undefined ? '-' : dayTime(hook.lastSent.at, offsetMin),
    hook.receiver,
  ]);
  const columns = [
    'hook',
    'kind',
    'on',
    { title: 'sent', align: 'right' },
    { title: 'failed', align: 'right' },
    'last sent',
    { title: 'receiver', gives: true },
  ] as const;
  const failures = hooks.flatMap(({ name, lastFailed }) => {
    if (lastFailed === undefined) return [];
    const { at, point, tries, cause = '' } = lastFailed;
    const text = `${name} last failed ${dayTime(at, offsetMin)}: ${point}, ${tries === 1 ? 'one try' : `${tries} tries`}: ${cause}`;
    return [style.yellow(cut(text, width))];
  });
  return [...table(columns, rows, width, style.dim), ...failures, ...pending];
}

function pointsText(on: readonly HookPoint[]): string {
  if (on.length === Object.keys(hookPoints).length) return 'all points';
  return on.length > 2 ? `${on.length} points` : on.join(', ');
}

/** `ym hooks test`: one line for each hook, also for those that are not committed. */
export function triesText({
  point,
  tried,
  uncommitted,
}: {
  readonly point: string;
  readonly tried: readonly HookTry[];
  readonly uncommitted: readonly string[];
}): readonly string[] {
  if (tried.length === 0 && uncommitted.length === 0) return [`No hook is called at ${point}.`];
  const pending = uncommitted.map(
    (name) =>
      `${name}: not tested: what your yardmaster.yaml says of it is not committed to the target. Commit it first.`,
  );
  return [...tried.map(tryText), ...pending];
}

function tryText(one: HookTry): string {
  return one.ok ? `${one.hook}: delivered` : `${one.hook}: not delivered: ${one.cause}`;
}
