// Shared by program/mcp.test.ts and long/commands/mcp.test.ts.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { TestClient } from '../mcp/rig.ts';
import type { TestProject } from '../rig.ts';
import { program } from './child.ts';

export async function connect(
  y: TestProject,
  mode: 'legacy' | 'auto' = 'legacy',
): Promise<TestClient> {
  const client = new Client(
    { name: 'some-agent', version: '2.0.0' },
    { versionNegotiation: { mode } },
  );
  const command = process.execPath;
  const args = [program, 'mcp'];
  const env = { ...y.env(), NODE_OPTIONS: '' };
  const transport = new StdioClientTransport({ command, args, env, cwd: y.root, stderr: 'pipe' });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await y.untilProgramsEnd();
  });
  return new TestClient(client);
}
