import { commandsIn, countMax, flag, list, number, text } from './row.ts';
import { json } from './shared.ts';

export const agentsCommands = commandsIn('For agents', {
  mcp: {
    load: async () => (await import('../mcp.ts')).run,
    line: 'Serve this project to coding agents over the Model Context Protocol, on stdio',
    options: [flag('approve', 'Let the client approve work, which is left to people otherwise')],
    examples: [
      ['ym mcp', 'The command that Claude Code starts after `claude mcp add yardmaster -- ym mcp`'],
      ['ym mcp -C ~/shop --approve', 'Serve another folder, to a client that may approve'],
    ],
  },
  skill: {
    decides: ({ options }) => !options.flag('print'),
    load: async () => (await import('../skill.ts')).run,
    line: 'Teach your coding agent to plan work for Yardmaster',
    args: [
      {
        name: 'ACTION',
        required: true,
        choices: ['install', 'uninstall'],
        doc: 'Write or remove the instructions; other text in the files is kept',
      },
    ],
    options: [
      flag('claude', 'Only the skill of Claude Code, .claude/skills/yardmaster'),
      flag('agents', 'Only the section in AGENTS.md, which other agents read'),
      flag('print', 'Print the text and change nothing'),
    ],
    examples: [
      ['ym skill install', 'Write the skill and the section'],
      ['ym skill install --agents --print', 'See what would be in AGENTS.md'],
    ],
  },
  agent: {
    load: async () => (await import('../agent.ts')).run,
    line: 'Report on the current turn; for agents started by a run, not for people',
    args: [
      {
        name: 'CALL',
        required: true,
        choices: ['done', 'give-up', 'ask', 'claim', 'report', 'note', 'next'],
        doc: 'Kind of report',
      },
      {
        name: 'WORD',
        required: false,
        repeatable: true,
        doc: 'Ids for claim and next; the question for ask; a subject and the text for report; decision, convention or finding and the text for note',
      },
    ],
    options: [
      text('message', 'TEXT', 'What was done, or why the task is given up; - for standard input', {
        short: 'm',
      }),
      text(
        'body',
        'TEXT',
        'Body of the task that `report follow-up TITLE` files; - for standard input',
      ),
      text('type', 'WORD', 'Kind of that task', { default: 'task' }),
      number('priority', [0, 4], 'Priority of that task; 0 is the highest', { default: '2' }),
      list('after', 'ID', 'Tasks that must land before that one'),
      number('supersedes', [1, countMax], 'Note of an agent that `note` replaces'),
      json,
    ],
    examples: [
      ['ym agent done -m "Added the endpoint"', 'The work is ready for the gate and the merge'],
      [
        'ym agent report follow-up "Document the endpoint" --body "Every parameter."',
        'File a task for something outside of this one',
      ],
    ],
  },
});
