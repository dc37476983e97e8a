import type { Event } from '../model/event.ts';
import type { RunSettings } from '../model/run.ts';
import { accountOf } from '../model/run.ts';
import { count, described, list, type ObjectOf, object, optional, text } from '../model/shape.ts';
import { troubleOf } from '../model/trouble.ts';
import type { AgentCall } from '../model/turn.ts';

/** What kept the agents of a run from simply working; parts of which there was nothing are left out. */
export const incidents = {
  /** How often accounts were refused for their quota or their rate, and how long nothing of them was started then. */
  pauses: optional(object({ count, ms: count })),
  /** Turns that ended without a word about their end. */
  silentTurns: optional(count),
  /** Turns that were tried again after the service behind the agent had failed. */
  providerRetries: optional(count),
  prefixes: optional(
    described(
      'Versions of the common part that the prompts of each agent begin with. Services cache it while it is unchanged; each new version is paid uncached.',
      list(object({ agent: text, variants: count })),
    ),
  ),
};
export type Incidents = ObjectOf<typeof incidents>;

interface Seen {
  agent: string;
  /** Its last turn was cut short by the service. */
  cut: boolean;
  /** The turn in which it said by a call how it ended. */
  told: number;
}

/** The calls that are about the end of a turn. */
const endings: ReadonlySet<string> = new Set<AgentCall['id']>(['complete', 'gave-up', 'ask']);

/** Counts the incidents of one run, told by its events alone. */
export class IncidentCount {
  readonly #attempts = new Map<string, Seen>();
  readonly #prefixes = new Map<string, Set<string>>();
  /** Accounts that are paused, since when. */
  readonly #paused = new Map<string, number>();
  #settings: RunSettings | undefined;
  #pauses = 0;
  #pausedMs = 0;
  #silent = 0;
  #retries = 0;

  on(event: Event): void {
    switch (event.type) {
      case 'run-started':
        this.#settings = event.settings;
        return;
      case 'attempt-started':
        this.#seen(event).agent = event.agent;
        return;
      case 'turn-started':
        return this.#begin(event);
      case 'agent-reported':
        if (endings.has(event.call.id)) this.#seen(event).told = event.turn;
        return;
      case 'turn-ended':
        return this.#end(event);
      case 'run-ended':
        for (const account of [...this.#paused.keys()]) this.#goOn(account, event.at);
        return;
      default:
        return;
    }
  }

  /** As of `now`: a pause that goes on counts up to there. */
  count(now: number): Incidents {
    const open = [...this.#paused.values()].reduce((sum, at) => sum + Math.max(0, now - at), 0);
    const prefixes = [...this.#prefixes].map(([agent, all]) => ({ agent, variants: all.size }));
    return {
      ...(this.#pauses === 0 ? {} : { pauses: { count: this.#pauses, ms: this.#pausedMs + open } }),
      ...(this.#silent === 0 ? {} : { silentTurns: this.#silent }),
      ...(this.#retries === 0 ? {} : { providerRetries: this.#retries }),
      ...(prefixes.length === 0 ? {} : { prefixes }),
    };
  }

  #begin(event: Extract<Event, { type: 'turn-started' }>): void {
    const seen = this.#seen(event);
    seen.agent = event.agent ?? seen.agent;
    if (seen.cut) this.#retries += 1;
    seen.cut = false;
    this.#goOn(this.#account(seen.agent), event.at);
    if (event.prefix === undefined) return;
    const known = this.#prefixes.get(seen.agent);
    if (known === undefined) this.#prefixes.set(seen.agent, new Set([event.prefix]));
    else known.add(event.prefix);
  }

  #end(event: Extract<Event, { type: 'turn-ended' }>): void {
    const { result } = event;
    const seen = this.#seen(event);
    if (result.ok) {
      if (result.signal?.id === 'nothing' && seen.told !== event.turn) this.#silent += 1;
      return;
    }
    const trouble = troubleOf(result.failure);
    // A conversation that grew too long is given up, or begun again: then a turn follows.
    const long = result.failure.kind === 'context-overflow';
    seen.cut = trouble === 'hiccup' || trouble === 'renew' || long;
    const account = this.#account(seen.agent);
    if (trouble !== 'pause' || this.#paused.has(account)) return;
    this.#pauses += 1;
    this.#paused.set(account, event.at);
  }

  #goOn(account: string, at: number): void {
    const since = this.#paused.get(account);
    if (since === undefined) return;
    this.#paused.delete(account);
    this.#pausedMs += Math.max(0, at - since);
  }

  #account(agent: string): string {
    return this.#settings === undefined ? agent : accountOf(this.#settings, agent);
  }

  #seen({ id, attempt }: { readonly id: string; readonly attempt: number }): Seen {
    const key = `${id} ${attempt}`;
    const known = this.#attempts.get(key);
    if (known !== undefined) return known;
    const fresh: Seen = { agent: '', cut: false, told: 0 };
    this.#attempts.set(key, fresh);
    return fresh;
  }
}
