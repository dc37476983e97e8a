import { describe, expect, it } from 'vitest';
import type { AgentAnswer, AgentRequest } from '../../src/model/turn.ts';
import type { Mailboxes } from '../../src/port/mailbox.ts';

/** One implementation of the port, and the agent's side of it. */
export interface MailWorld {
  readonly mailboxes: Mailboxes;
  readonly dir: string;
  send(token: string, request: AgentRequest): Promise<AgentAnswer>;
}

const claim = (...ids: string[]): AgentRequest => ({ id: 'claim', ids });
const yes: AgentAnswer = { ok: true, lines: ['yes'], value: { yes: true } };

export function mailboxConformance(name: string, world: () => MailWorld): void {
  describe(`mailboxes (${name})`, () => {
    it('carry a request to the engine and its answer back', async () => {
      const { mailboxes, dir, send } = world();
      const seen: AgentRequest[] = [];
      const box = await mailboxes.open(dir, 'token', async (request) => {
        seen.push(request);
        return yes;
      });
      expect(await send('token', claim('a'))).toEqual(yes);
      expect(seen).toEqual([claim('a')]);
      await box.close();
    });

    it('refuse a request that was signed with another token', async () => {
      const { mailboxes, dir, send } = world();
      const box = await mailboxes.open(dir, 'token', () => expect.fail('it must not be handled'));
      expect(await send('other', claim('a'))).toMatchObject({
        ok: false,
        failures: [{ kind: 'call-refused', problem: expect.stringContaining('token') }],
      });
      await box.close();
    });

    it('keep a request for the engine that opens the mailbox next', async () => {
      const { mailboxes, dir, send } = world();
      const first = await mailboxes.open(dir, 'token', async () => yes);
      await first.close();
      const waiting = send('token', claim('late'));
      const second = await mailboxes.open(dir, 'token', async () => yes);
      expect(await waiting).toEqual(yes);
      await second.close();
    });

    it('handle one request at a time', async () => {
      const { mailboxes, dir, send } = world();
      let atOnce = 0;
      let most = 0;
      const box = await mailboxes.open(dir, 'token', async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise(setImmediate);
        atOnce -= 1;
        return yes;
      });
      await Promise.all(['a', 'b', 'c'].map((id) => send('token', claim(id))));
      expect(most).toBe(1);
      await box.close();
    });
  });
}
