// Turning a step into a call of a tool that the agent at hand offers. Names and arguments differ between agents and
// their versions, so both are taken from what the request offers.
import type { Answer, Call, Tool } from './api.ts';
import { type Json, record, text } from './json.ts';
import type { Step } from './script.ts';

const SHELLS = ['Bash', 'bash', 'exec_command', 'shell_command', 'shell', 'run_shell_command'];
const WRITERS = ['Write', 'write', 'write_file'];

/** What the model answers in this step; a step that the agent has no tool for is said instead of done. */
export function answerOf(step: Step, tools: readonly Tool[]): Answer {
  if ('run' in step) return withCall(step.say, shellCall(tools, step.run), step.run);
  if ('write' in step) {
    const { path, text: content } = step.write;
    const call = writeCall(tools, path, content) ?? shellCall(tools, heredoc(path, content));
    return withCall(step.say, call, path);
  }
  if ('use' in step) {
    const tool = tools.find(({ name }) => name.endsWith(step.use));
    return withCall(step.say, tool && callOf(tool, { ...step.args }), step.use);
  }
  return 'say' in step ? { say: step.say ?? '' } : {};
}

function withCall(say: string | undefined, call: Call | undefined, wanted: string): Answer {
  if (call === undefined) return { say: `No tool was offered for: ${wanted}` };
  return say === undefined ? { call } : { say, call };
}

function shellCall(tools: readonly Tool[], command: string): Call | undefined {
  const tool = offered(tools, SHELLS);
  if (tool === undefined) return undefined;
  const properties = record(tool.schema.properties);
  const name = 'cmd' in properties ? 'cmd' : 'command';
  const isList = record(properties[name]).type === 'array';
  return callOf(tool, { [name]: isList ? ['sh', '-c', command] : command });
}

function writeCall(tools: readonly Tool[], path: string, content: string): Call | undefined {
  const tool = offered(tools, WRITERS);
  if (tool === undefined) return undefined;
  const properties = record(tool.schema.properties);
  const name = 'filePath' in properties ? 'filePath' : 'file_path';
  return callOf(tool, { [name]: path, content });
}

function heredoc(path: string, content: string): string {
  return `mkdir -p "$(dirname '${path}')" && cat > '${path}' <<'SCRIPTED_END'\n${content}SCRIPTED_END`;
}

function offered(tools: readonly Tool[], names: readonly string[]): Tool | undefined {
  return names
    .map((name) => tools.find((tool) => tool.name === name))
    .find((tool) => tool !== undefined);
}

/** Required arguments that nobody gave get something that fits their type. */
function callOf(tool: Tool, given: Json): Call {
  const required = Array.isArray(tool.schema.required) ? tool.schema.required.map(text) : [];
  const properties = record(tool.schema.properties);
  const missing = required.filter((name) => !(name in given));
  const args = {
    ...given,
    ...Object.fromEntries(missing.map((name) => [name, fitting(record(properties[name]))])),
  };
  return { name: tool.name, args, group: tool.group };
}

function fitting({ type }: Json): unknown {
  switch (type) {
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 1;
    case 'array':
      return [];
    default:
      return 'as the script says';
  }
}
