#!/usr/bin/env node
// The Agent Client Protocol client: starts an agent, sends it the prompt from standard input, and prints one JSON
// object per event. A separate program that does not depend on the engine.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type AgentProcess, lineSplitter, startAgent } from './agent-process.ts';
import { Conversation, type ConversationOptions, type EndEvent } from './conversation.ts';
import { bounds, type ClientError, type ClientEvent } from './event.ts';
import { Peer } from './peer.ts';

const usage =
  'Usage: acp-client [--auth=METHOD] [--session=ID] [--model=M] [--reasoning=R] [--files|--read-only] [--start-ms=N] [--probe] -- COMMAND…';

interface Call {
  readonly options: ConversationOptions;
  readonly command: readonly string[];
  readonly startMs: number;
  /** Only sends `initialize`. */
  readonly probe: boolean;
}

function parseCall(args: string[]): Call | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      auth: { type: 'string' },
      session: { type: 'string' },
      model: { type: 'string' },
      reasoning: { type: 'string' },
      files: { type: 'boolean', default: false },
      'read-only': { type: 'boolean', default: false },
      'start-ms': { type: 'string', default: String(bounds.startMs) },
      probe: { type: 'boolean', default: false },
    },
  });
  const { auth, session, model, reasoning, files, probe } = values;
  const startMs = Number(values['start-ms']);
  if (positionals.length === 0 || !(startMs > 0)) return undefined;
  const wishes = {
    cwd: process.cwd(),
    auth,
    session,
    model,
    reasoning,
    files: values['read-only'] ? 'read' : files ? 'write' : 'none',
  } as const;
  return { options: wishes, command: positionals, startMs, probe };
}

function print(event: ClientEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** The last event of a turn, or the agent exited without one. */
type Outcome = EndEvent | ClientError | Extract<ClientEvent, { type: 'stopped' }> | 'gone';

/** Aborts with the number of the signal that told us to stop. */
function stopSignal(): AbortController {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(name, () => stop.abort(constants.signals[name]));
  }
  return stop;
}

async function runTurn(call: Call, prompt: string, stop: AbortSignal): Promise<number> {
  const conversation = new Conversation(call.options, print);
  const splitter = lineSplitter(bounds.lineBytes, {
    line: (text) => peer.receive(text),
    tooLong(head, bytes) {
      // A long notification can be skipped; a long response or request would leave one side waiting forever.
      if (/"method"\s*:\s*"session\/update"/.test(head)) {
        print({ type: 'note', text: `A line of ${bytes} bytes was skipped.` });
      } else
        markBroken(`The agent wrote a line of ${bytes} bytes; the limit is ${bounds.lineBytes}.`);
    },
  });
  const agent = startAgent(call.command, call.options.cwd, (chunk) => splitter.push(chunk));
  const peer = new Peer((line) => agent.write(line), conversation);
  const markBroken = (cause: string): void => {
    conversation.markBroken(cause);
    peer.close();
  };
  void agent.exited.then(() => {
    splitter.end();
    peer.close();
  });
  void agent.outputClosed.then((lives) => {
    if (lives) markBroken('The agent closed its output before it answered.');
  });
  const outcome = await outcomeOf(call, prompt, conversation, peer, stop);
  if (outcome === 'gone') return unanswered(call, agent, stop);
  print(outcome);
  await agent.end(stop.aborted ? bounds.stopMs : bounds.leaveMs);
  if (stop.aborted) return stopCode(stop);
  return outcome.type === 'end' && outcome.stopReason === 'end_turn' ? 0 : 1;
}

async function outcomeOf(
  { startMs, probe }: Call,
  text: string,
  conversation: Conversation,
  peer: Peer,
  stop: AbortSignal,
): Promise<Outcome> {
  const begun = probe ? conversation.initialize(peer) : conversation.open(peer);
  const opened = await first<Awaited<typeof begun>>(begun, startMs, stop);
  if (opened === 'stopped') return { type: 'stopped', cancelled: false };
  if (opened === 'late') {
    const message = `The agent was not ready within ${startMs} ms after its start.`;
    return { type: 'error', reason: 'not-started', message };
  }
  if (!opened.ok) return opened.failure;
  if (probe) return { type: 'end', stopReason: 'end_turn' };
  const working = conversation.prompt(peer, text);
  const ended = await first(working, undefined, stop);
  if (ended !== 'stopped' && ended !== 'late') return ended.ok ? ended.value : ended.failure;
  conversation.cancel(peer);
  const cancelled = await first(working, bounds.cancelMs);
  return { type: 'stopped', cancelled: typeof cancelled === 'object' && cancelled.ok };
}

/** Resolves with the work, at the time limit, or at the stop signal, whichever comes first. */
async function first<T>(
  work: Promise<T>,
  ms: number | undefined,
  stop?: AbortSignal,
): Promise<T | 'late' | 'stopped'> {
  const over = new AbortController();
  const { signal } = over;
  const late = new Promise<'late'>((done) => {
    if (ms !== undefined)
      delay(ms, undefined, { signal }).then(
        () => done('late'),
        () => undefined,
      );
  });
  const halted = new Promise<'stopped'>((done) => {
    if (stop?.aborted) done('stopped');
    stop?.addEventListener('abort', () => done('stopped'), { signal });
  });
  const outcome = await Promise.race([work, late, halted]);
  over.abort();
  return outcome;
}

/** We exit with the status of an agent that exited by itself. */
async function unanswered(call: Call, agent: AgentProcess, stop: AbortSignal): Promise<number> {
  const gone = await agent.exited;
  if (stop.aborted) {
    print({ type: 'stopped', cancelled: false });
    return stopCode(stop);
  }
  if ('cause' in gone) {
    print({ type: 'error', reason: 'not-started', message: `${call.command[0]}: ${gone.cause}` });
    return 1;
  }
  if (gone.exit === 0) {
    print({ type: 'error', reason: 'broken', message: 'The agent exited before it answered.' });
    return 1;
  }
  print({ type: 'gone', exit: gone.exit });
  return gone.exit;
}

const stopCode = (stop: AbortSignal): number => 128 + Number(stop.reason);

async function exitCode(): Promise<number> {
  const stop = stopSignal();
  try {
    const call = parseCall(process.argv.slice(2));
    if (call !== undefined) {
      return await runTurn(call, call.probe ? '' : readFileSync(0, 'utf8'), stop.signal);
    }
    process.stderr.write(`${usage}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
  }
  return 2;
}

// Stays if the process ends before the turn, because nothing is left to wait for. That is a bug.
process.exitCode = 70;
void exitCode().then((code) => {
  process.exitCode = code;
});
