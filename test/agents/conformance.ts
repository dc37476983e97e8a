// The conformance suite of agent adapters, with the real agents.
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { cliAgent } from '../../src/agent/cli-agent.ts';
import { harnesses } from '../../src/agent/harnesses.ts';
import type { Agent } from '../../src/port/agent.ts';
import { type AgentRig, agentConformance, type Deed, type Told } from '../conformance/agent.ts';
import type { Script } from '../model-server/script.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { complete } from './agent-pool.ts';
import { binaryOf, type CliName, eachCli } from './clis.ts';
import { type Surroundings, surroundings } from './surroundings.ts';

/** What the model does, so that the agent does the deed. Shell commands know the place by an argument. */
function scriptFor(deed: Deed, place: string): Script {
  const forever = "node -e 'setInterval(() => {}, 1000)'";
  const tell = `node -e "require('node:fs').writeFileSync('${place}/told.json', JSON.stringify({ cwd: process.cwd(), env: process.env }))"`;
  const end = { say: complete };
  switch (deed) {
    case 'edits':
      return { turns: [[{ run: 'echo done > work.txt' }, end]] };
    case 'fails':
      return { turns: [[{ fault: { id: 'auth' } }]] };
    case 'hangs':
      return { turns: [[{ fault: { id: 'never' } }]] };
    case 'hangs-midway':
      return { turns: [[{ run: `echo $$ > '${place}/child.pid'; ${forever}`, say: 'At work.' }]] };
    case 'told':
      return { turns: [[{ run: tell }, end]] };
    case 'prints':
      return { turns: [[{ say: `all good\n\n${complete}` }]] };
    case 'crashes':
    case 'lingers':
      return { turns: [[end]] };
  }
}

/** Long enough to get to work, short enough to wait for. */
const patience: Readonly<Record<CliName, number>> = {
  claude: 4000,
  codex: 3000,
  gemini: 6000,
  opencode: 10_000,
};

function rigFor(name: CliName, server: () => ModelServer): AgentRig {
  const places = new Map<string, Surroundings>();
  const at = (place: string, deed?: Deed): Surroundings => {
    const known = places.get(place);
    if (known !== undefined && deed === undefined) return known;
    const scenario = `${name}-${deed}-${basename(place)}`;
    if (deed !== undefined) server().script(scenario, scriptFor(deed, place));
    const dir = join(place, scenario);
    mkdirSync(dir, { recursive: true });
    const bases = { [name]: server().base(scenario, basename(place)) };
    const made = known ?? surroundings({ bases }, dir);
    places.set(place, made);
    return made;
  };
  const agentIn = (place: string, base: Surroundings['env'], binary: string): Agent =>
    cliAgent(harnesses[name], {
      name,
      // Without a model it asks a model which one to take.
      args: name === 'gemini' ? ['-m', 'gemini-2.5-pro'] : [],
      sandbox: 'none',
      root: place,
      binary,
      base,
    });
  return {
    agent: (deed, place) => agentIn(place, at(place, deed).env, binaryOf(name)),
    missing: (place) => agentIn(place, { PATH: place }, join(place, name)),
    env: (place) => at(place).env,
    cannot: {
      crashes: 'no tool of it can end the program itself',
      lingers: 'it ends by itself after its last word',
    },
    failed: { kind: 'provider-auth', agent: name },
    patienceMs: patience[name],
    told: (place): Told => {
      const noted = JSON.parse(readFileSync(join(place, 'told.json'), 'utf8'));
      const [asked] = server().journal.requests(basename(place));
      return { ...noted, promptBytes: asked?.prompts[0]?.length ?? 0 };
    },
  };
}

/** To be called once in a file. */
export function realConformance(names: readonly CliName[]): void {
  let server: ModelServer | undefined;
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server?.close());
  const running = (): ModelServer => {
    if (server === undefined) throw new Error('The server is not there yet');
    return server;
  };
  eachCli('conformance', names, (name) => agentConformance(name, rigFor(name, running)));
}
