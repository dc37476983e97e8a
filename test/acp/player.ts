// An agent that speaks the Agent Client Protocol and plays a script: what the client makes of agents, good and bad, can
// be seen without a model. Run as `player SCRIPT.json`; it notes what it is told in `heard.jsonl` beside the script.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

type Json = Readonly<Record<string, unknown>>;

export type Step =
  | { readonly say: string; readonly message?: string; readonly meta?: Json }
  | { readonly update: Json; readonly session?: string }
  /** Asks the client something and notes the answer. */
  | { readonly ask: string; readonly params: Json }
  /** Writes a file itself. */
  | { readonly write: string; readonly text: string }
  /** Prints anything at all. */
  | { readonly raw: string }
  /** An update, or an answer to the prompt, with this many bytes on one line. */
  | { readonly long: number; readonly as: 'update' | 'answer' }
  | { readonly complain: string }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals }
  | { readonly closeOutput: true }
  | { readonly ignoreTerm: true }
  /** Leaves a process behind, its pid in `child.pid` beside the script. */
  | { readonly fork: 'group' | 'away'; readonly stubborn?: boolean }
  | { readonly wait: number }
  | { readonly hang: true }
  /** Notes its surroundings in `told.json`. */
  | { readonly tell: true }
  /** Answers the prompt; steps behind it come late. */
  | { readonly result: Json }
  | { readonly error: Json };

export interface Script {
  /** Fields of the answers to these methods, added to or put in place of the usual ones. */
  readonly answers?: Readonly<Record<string, Json>>;
  readonly errors?: Readonly<Record<string, Json>>;
  /** Methods at which it ends, with these statuses. */
  readonly exits?: Readonly<Record<string, number>>;
  /** Methods that are never answered. */
  readonly silent?: readonly string[];
  /** Played before and after the answer to `session/load`. */
  readonly replay?: readonly Step[];
  readonly replayLate?: readonly Step[];
  readonly ignoreCancel?: boolean;
  /** Stays when its input ends. */
  readonly stays?: boolean;
  readonly steps: readonly Step[];
}

const file = process.argv[2] ?? '';
const place = dirname(file);
const script = JSON.parse(readFileSync(file, 'utf8')) as Script;
const session = 'ses-00000001';
const waiting = new Map<number, (answer: Json) => void>();
let asked = 0;
let promptId: unknown;
let promptBytes = 0;

const send = (message: Json): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};

const usual: Readonly<Record<string, Json>> = {
  initialize: {
    protocolVersion: 1,
    agentCapabilities: { loadSession: true },
    agentInfo: { name: 'player', version: '1.2.3' },
  },
  authenticate: {},
  'session/new': { sessionId: session },
};

async function act(step: Step): Promise<void> {
  if ('say' in step) {
    const { say, message, meta } = step;
    update(session, {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: say },
      messageId: message,
      _meta: meta,
    });
  } else if ('update' in step) update(step.session ?? session, step.update);
  else if ('ask' in step) await ask(step.ask, step.params);
  else if ('write' in step) writeFileSync(step.write, step.text);
  else if ('raw' in step) process.stdout.write(`${step.raw}\n`);
  else if ('long' in step) long(step.long, step.as);
  else if ('complain' in step) process.stderr.write(`${step.complain}\n`);
  else if ('exit' in step) process.exit(step.exit);
  else if ('kill' in step) process.kill(process.pid, step.kill);
  else if ('closeOutput' in step) closeSync(1);
  else if ('ignoreTerm' in step) process.on('SIGTERM', () => undefined);
  else if ('fork' in step) fork(step.fork === 'away', step.stubborn === true);
  else if ('wait' in step) await delay(step.wait);
  else if ('hang' in step) await delay(600_000);
  else if ('tell' in step) tell();
  else if ('result' in step) send({ id: promptId, result: step.result });
  else send({ id: promptId, error: step.error });
}

function update(sessionId: string, news: Json): void {
  send({ method: 'session/update', params: { sessionId, update: news } });
}

async function ask(method: string, params: Json): Promise<void> {
  // The first id is 0, as with real agents.
  const id = asked;
  asked += 1;
  const answer = new Promise<Json>((resolve) => waiting.set(id, resolve));
  send({ id, method, params: { sessionId: session, ...params } });
  const { result, error } = await answer;
  appendFileSync(join(place, 'answers.jsonl'), `${JSON.stringify({ method, result, error })}\n`);
}

function long(bytes: number, as: 'update' | 'answer'): void {
  const text = 'x'.repeat(bytes);
  if (as === 'answer') send({ id: promptId, result: { stopReason: 'end_turn', text } });
  else update(session, { sessionUpdate: 'tool_call', toolCallId: 'long', title: text });
}

function fork(away: boolean, stubborn: boolean): void {
  const deaf = stubborn ? 'process.on("SIGTERM", () => {});' : '';
  const idle = ['-e', `${deaf}setInterval(() => {}, 1000)`];
  // It keeps our output open, as careless children do.
  const child = spawn(process.execPath, idle, { detached: away, stdio: 'inherit' });
  child.unref();
  writeFileSync(join(place, 'child.pid'), String(child.pid));
}

function tell(): void {
  const ours = Object.entries(process.env).filter(([name]) => name.startsWith('YARD_'));
  const told = { cwd: process.cwd(), promptBytes, env: Object.fromEntries(ours) };
  writeFileSync(join(place, 'told.json'), JSON.stringify(told));
}

async function play(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await act(step);
}

async function hear(message: Json): Promise<void> {
  const method = typeof message.method === 'string' ? message.method : undefined;
  if (method === undefined) {
    waiting.get(Number(message.id))?.(message);
    return;
  }
  if (script.silent?.includes(method)) return;
  const exit = script.exits?.[method];
  if (exit !== undefined) process.exit(exit);
  const error = script.errors?.[method];
  if (error !== undefined) return send({ id: message.id, error });
  if (method === 'session/prompt') {
    const { prompt } = message.params as { prompt: readonly { text: string }[] };
    promptBytes = prompt.map(({ text }) => text).join('').length;
    promptId = message.id;
    return play(script.steps);
  }
  if (method === 'session/cancel') {
    if (script.ignoreCancel) return;
    writeFileSync(join(place, 'cancelled'), '');
    return send({ id: promptId, result: { stopReason: 'cancelled' } });
  }
  if (method === 'session/load') await play(script.replay ?? []);
  send({ id: message.id, result: { ...usual[method], ...script.answers?.[method] } });
  if (method === 'session/load') await play(script.replayLate ?? []);
}

writeFileSync(join(place, 'player.pid'), String(process.pid));
if (script.stays) setInterval(() => undefined, 1000);
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const heard = JSON.parse(line) as Json;
  // A prompt can be long, and only what surrounds it is of interest.
  const kept = line.length > 10_000 ? { method: heard.method } : heard;
  appendFileSync(join(place, 'heard.jsonl'), `${JSON.stringify(kept)}\n`);
  void hear(heard);
});
lines.on('close', () => {
  if (!script.stays) process.exit(0);
});
