import { finalText } from '../../src/agent/stream.ts';
import { answerResult, endedFromOutside, exitFailure } from '../../src/agent/turn-end.ts';
import { ok } from '../../src/model/failure.ts';
import type { TurnResult } from '../../src/model/turn.ts';
import type { Agent } from '../../src/port/agent.ts';
import { noState } from '../../src/port/sandbox.ts';

/** Output of an in-memory agent that ends its turn like this. */
export function telling(result: TurnResult): string {
  return `${JSON.stringify({ told: result })}\n`;
}

/**
 * The twin of the real agents for the simulation: it has conversations, models and wishes, and says outright what became
 * of its turn. One that says nothing is complete when it ends well; the answer of one that reviews is what it prints
 * where it tells of none.
 */
export function memoryAgent(name: string): Agent {
  return {
    name,
    capabilities: { sessions: 'ours', usage: 'turn', cost: true, model: true, reasoning: true },
    signals: { complete: 'COMPLETE', giveUp: 'GIVE UP' },
    check: async () => ok({ name, binary: `/bin/${name}` }),
    probe: async () => ({ signedIn: 'yes' }),
    launch: ({ purpose, session, newSession, model }) => ({
      argv:
        purpose === 'review'
          ? [name, 'review']
          : [name, session === undefined ? 'new' : 'resume', session ?? newSession],
      env: { YARD_AGENT: name, ...(model === undefined ? {} : { YARD_MODEL: model }) },
      state: noState,
    }),
    listen(turn) {
      let told: TurnResult | undefined;
      const printed = finalText();
      const reviews = turn.purpose === 'review';
      const session = reviews ? {} : { session: turn.session ?? turn.newSession };
      return {
        line(text) {
          if (!text.startsWith('{"told":')) {
            printed.add(`${text}\n`);
            return told !== undefined;
          }
          told = (JSON.parse(text) as { readonly told: TurnResult }).told;
          return true;
        },
        conclude(end, tail) {
          const failure = endedFromOutside(turn, end, tail, name) ?? exitFailure(end, tail);
          if (failure !== undefined) return { ok: false, failure, ...session };
          if (!reviews || told?.ok === false)
            return { ...session, ...(told ?? { ok: true, tail }) };
          const { usage, model, answer = printed.text() } = told ?? {};
          const facts = {
            usage,
            model,
          };
          return answerResult(answer, tail, facts);
        },
      };
    },
  };
}
