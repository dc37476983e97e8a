import type { TurnResult } from '../model/attempt.ts';
import { ok } from '../model/failure.ts';
import type { Agent } from './agent.ts';
import { endedFromOutside, exitFailure } from './turnend.ts';

/** What a made-up agent prints so that its turn ends like this. */
export function telling(result: TurnResult): string {
  return `${JSON.stringify({ told: result })}\n`;
}

/**
 * The twin of the real agents for the simulation: it has conversations, models and wishes, and says outright what became
 * of its turn. One that says nothing is complete when it ends well.
 */
export function memoryAgent(name: string): Agent {
  return {
    name,
    capabilities: { sessions: 'ours', usage: 'turn', cost: true, model: true, reasoning: true },
    signals: { complete: 'COMPLETE', giveUp: 'GIVE UP' },
    check: async () => ok({ name, binary: `/bin/${name}` }),
    probe: async () => ({ signedIn: 'yes' }),
    launch: ({ session, newSession, model }) => ({
      argv: [name, session === undefined ? 'new' : 'resume', session ?? newSession],
      env: { YARD_AGENT: name, ...(model === undefined ? {} : { YARD_MODEL: model }) },
    }),
    listen(turn) {
      let told: TurnResult | undefined;
      const session = turn.session ?? turn.newSession;
      return {
        line(text) {
          if (!text.startsWith('{"told":')) return told !== undefined;
          told = (JSON.parse(text) as { readonly told: TurnResult }).told;
          return true;
        },
        conclude(end, tail) {
          const failure = endedFromOutside(turn, end, tail, name) ?? exitFailure(end, tail);
          if (failure !== undefined) return { ok: false, failure, session };
          return { session, ...(told ?? { ok: true, tail }) };
        },
      };
    },
  };
}
