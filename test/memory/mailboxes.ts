import type { AgentAnswer, AgentRequest } from '../../src/model/turn.ts';
import type { Answering, Mailboxes } from '../../src/port/mailbox.ts';

interface Letter {
  readonly token: string;
  readonly request: AgentRequest;
  answered(answer: AgentAnswer): void;
}

/** Mailboxes without files. Requests wait in their mailbox until it is open. */
export class MemoryMailboxes implements Mailboxes {
  readonly #letters = new Map<string, Letter[]>();
  readonly #open = new Map<string, { readonly token: string; readonly answer: Answering }>();
  #work: Promise<void> = Promise.resolve();

  async open(dir: string, token: string, answer: Answering) {
    this.#open.set(dir, { token, answer });
    void this.#handle(dir);
    return {
      close: async () => {
        await this.#handle(dir);
        this.#open.delete(dir);
      },
    };
  }

  /** The agent's side. */
  send(dir: string, token: string, request: AgentRequest): Promise<AgentAnswer> {
    return new Promise((answered) => {
      const letters = this.#letters.get(dir) ?? [];
      this.#letters.set(dir, [...letters, { token, request, answered }]);
      void this.#handle(dir);
    });
  }

  #handle(dir: string): Promise<void> {
    this.#work = this.#work.then(async () => {
      const open = this.#open.get(dir);
      if (open === undefined) return;
      const letters = this.#letters.get(dir) ?? [];
      this.#letters.delete(dir);
      for (const { token, request, answered } of letters) {
        const problem = 'it was not signed with the token of this attempt';
        const refused: AgentAnswer = { ok: false, failures: [{ kind: 'call-refused', problem }] };
        answered(token === open.token ? await open.answer(request) : refused);
      }
    });
    return this.#work;
  }
}
