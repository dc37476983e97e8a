import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '../model/defined.ts';
import { fail, ok } from '../model/failure.ts';
import type { Agent } from '../port/agent.ts';
import { noState } from '../port/sandbox.ts';
import { chatKeyVariable } from './chat/request.ts';
import { type Redact, textListener } from './turn-end.ts';

interface ChatAgentOptions {
  readonly name: string;
  /** Address of a chat-completions endpoint. */
  readonly url: string;
  readonly model: string;
  /** Path of the built client, `chat-client.js`. */
  readonly program: string;
  /** Variable with the key of the service, and its value; absent for a service without one. */
  readonly key?: { readonly variable: string; readonly value: string | undefined };
  readonly redact?: Redact;
}

/**
 * A plain chat-completions endpoint. Our own client sends the prompt and prints the answer. It uses the model of its
 * profile, whatever a task asks for.
 */
export function chatAgent(options: ChatAgentOptions): Agent {
  const { name, url, model, key } = options;
  const program = resolve(options.program);
  const isKeyed = key === undefined || (key.value ?? '') !== '';
  const signIn = key === undefined ? {} : { signIn: key.variable };
  return {
    name,
    capabilities: { sessions: 'none', usage: 'turn', cost: false, model: false, reasoning: false },
    oneShotOnly: true,
    async check() {
      if (statSync(program, { throwIfNoEntry: false }) === undefined) {
        return fail({ kind: 'agent-missing', agent: name, binary: program });
      }
      if (isKeyed) return ok({ name, binary: program });
      const { variable } = key;
      const message = `the variable ${variable} is not set`;
      return fail({ kind: 'provider-auth', agent: name, message, variable });
    },
    probe: async () => ({ signedIn: key === undefined ? 'unknown' : 'yes', ...signIn }),
    launch: () => ({
      argv: [process.execPath, program, url, model],
      env: defined({ [chatKeyVariable]: key?.value }),
      state: noState,
      unconfined: true,
    }),
    listen: (turn) => textListener(turn, 'exit', () => program, options.redact),
  };
}
