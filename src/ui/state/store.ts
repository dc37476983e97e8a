import { useEffect, useState } from 'preact/hooks';
import type { Sentences } from '../../report/explain/sentences.ts';
import type { Action, ActionDone } from '../../web/action.ts';
import type { ProjectsAnswer } from '../../web/contract.ts';
import { parseRoute, type Route, routeText } from '../route.ts';
import { type Live, nothingYet } from '../stream.ts';
import { post } from './request.ts';

/** `lost`: the browser tries again by itself. */
export type Connection = 'connecting' | 'open' | 'lost';

/** Results of actions, newest first: the command, or why it was refused. */
export type Outcome = { readonly number: number; readonly at: number } & (
  | { readonly ok: true; readonly done: ActionDone }
  | { readonly ok: false; readonly error: Sentences }
);

export interface State {
  readonly route: Route;
  readonly connection: Connection;
  readonly live: Live;
  readonly projects?: ProjectsAnswer;
  readonly outcomes: readonly Outcome[];
}

const outcomesKept = 50;

let state: State = {
  route: parseRoute(location.hash),
  connection: 'connecting',
  live: nothingYet,
  outcomes: [],
};
const listeners = new Set<() => void>();

export function current(): State {
  return state;
}

export function change(part: Partial<State>): void {
  state = { ...state, ...part };
  for (const listener of [...listeners]) listener();
}

/** A part of the state. The component is drawn again only when this part is another value. */
export function useSelected<T>(select: (state: State) => T): T {
  const [, redraw] = useState(0);
  const selected = select(state);
  useEffect(() => {
    let seen = select(state);
    const listener = (): void => {
      const next = select(state);
      if (Object.is(next, seen)) return;
      seen = next;
      redraw((count) => count + 1);
    };
    listener();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return selected;
}

/** Parts of a route. Undefined clears a part. */
export type Change = { readonly [Key in keyof Route]?: Route[Key] | undefined };

/** The same page of another project. Tasks, runs and moments of this one mean nothing there. */
export function elsewhere(project: string): Change {
  const { page } = state.route;
  return { page: page === 'task' ? 'now' : page, project, at: undefined };
}

/** Goes to another place; project and moment stay unless they are named. */
export function go(to: Change, how: 'push' | 'replace' = 'push'): void {
  const href = hrefOf(to);
  if (how === 'push') location.hash = href;
  else {
    history.replaceState(null, '', href);
    change({ route: parseRoute(href) });
  }
}

export function hrefOf(to: Change): string {
  const { page, project, at } = state.route;
  const place = to.page === undefined ? state.route : {};
  const next = { page, project, at, ...place, ...to };
  const given = Object.entries(next).filter(([, value]) => value !== undefined);
  return routeText({ page, ...Object.fromEntries(given) });
}

export function followLocation(): void {
  addEventListener('hashchange', () => change({ route: parseRoute(location.hash) }));
}

/** Carries out an action, and shows its command or why it was refused. True if it was carried out. */
export async function act(action: Action): Promise<boolean> {
  const answer = await post(action, state.route.project);
  const number = (state.outcomes[0]?.number ?? 0) + 1;
  const outcome: Outcome = answer.ok
    ? { number, at: Date.now(), ok: true, done: answer.value }
    : { number, at: Date.now(), ok: false, error: answer.error };
  change({ outcomes: [outcome, ...state.outcomes].slice(0, outcomesKept) });
  return answer.ok;
}
