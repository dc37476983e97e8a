/** Front matter of the skill: agents read it to decide whether they need the rest. */
export const skillHead = `---
name: yardmaster
description: Plan and run larger coding work with Yardmaster (ym). Use it when work splits into several tasks that agents can do side by side, or when the user mentions ym, Yardmaster, tasks, runs or the merge queue.
---
`;

/** Teaches an agent to plan work for Yardmaster. The same text serves as a skill and as a section of AGENTS.md. */
export const skillText = `# Yardmaster

\`ym\` runs coding agents on tasks, each in its own worktree, and lands on the target branch only what passes the gate
(the tests). Your part is to plan good tasks, start runs, and deal with what comes back. Use the MCP tools of
\`yardmaster\` if you have them; otherwise these commands.

## Plan

1. Split the work into tasks that one agent finishes in 10 to 60 minutes. Each task must leave the gate green by itself.
2. Tasks that change the same files depend on each other: name the earlier one in \`after\`. All others run side by side.
3. Write for an agent that knows only the repository: context, constraints, where to look, what not to touch.
4. Give each task \`acceptance\` (conditions) and, if possible, \`checks\` (commands that must pass), and \`paths\` (files it
   will change).
5. Write a plan file, look at it, import it:

\`\`\`yaml
# plan.yaml
tasks:
  - id: store
    title: Store sessions in SQLite
    body: Sessions are in memory today (src/session.ts). Keep its interface.
    paths: [src/session.ts, src/store]
    acceptance: [Sessions survive a restart]
    checks: [npm test]
  - id: expiry
    title: Expire sessions after 30 days
    after: [store]
\`\`\`

\`\`\`sh
ym plan plan.yaml        # order, parallel waves, missing dependencies, concerns
ym import plan.yaml      # stores the tasks; one task: ym add "Title" --body "…" --after ID
\`\`\`

## Run

\`\`\`sh
ym run --scope ready --plain    # works on every ready task; --only ID for some; ends when nothing is left to do
ym status --json                # the run, tasks, and what needs a decision (needsYou)
\`\`\`

A run takes long: start it in the background if your tool calls have a time limit, and poll \`ym status --json\`.

## When something comes back

- \`ym why ID\` says why a task is where it is, and what to do. \`ym log ID\` shows its agent, \`ym log ID --gate\` its gate,
  \`ym diff ID\` its change.
- A question: \`ym answer ID "…"\`. A hint while it works: \`ym tell ID "…"\`. Failed: improve the task with \`ym edit ID\`,
  then \`ym retry ID\`.
- Work that waits for approval is for the user: show them \`ym diff ID\` and let them decide.

## Rules

- Do not commit to the target branch or edit files in the user's checkout while a run is active.
- Never weaken tests or the gate to make work land.
- If you are an agent of a run yourself (YARD_TASK is set), work on your task only, and report with \`ym agent\`.
`;
