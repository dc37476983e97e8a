// The figures as Markdown.

const whole = (value) => value.toFixed(0);
const ratio = (value) => `${value.toFixed(2)} ×`;

function table(title, head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, at) => (at === 0 ? '---' : '--:'));
  return [`### ${title}`, '', line(head), line(rule), ...rows.map(line), ''].join('\n');
}

export function taskTable(rows) {
  const head = [
    'files, way',
    'wall ms a task',
    'CPU ms a task',
    'CPU to floor',
    'git processes a task',
  ];
  return table(
    'One task, with an agent and a gate that do next to nothing (3 slots)',
    head,
    rows.map(({ files, way, wallMs, cpuMs, cpuToFloor, git }) => [
      `${files}, ${way}`,
      whole(wallMs),
      whole(cpuMs),
      ratio(cpuToFloor),
      git.toFixed(1),
    ]),
  );
}

export function stepTable(rows) {
  const cells = ({ files, cold, warm, land, landElsewhere, add, merge }) => [
    [
      `${files}, worktree for an attempt, used again`,
      whole(warm),
      `worktree add ${whole(add)}`,
      ratio(warm / add),
    ],
    [
      `${files}, worktree for an attempt, the first`,
      whole(cold),
      `worktree add ${whole(add)}`,
      ratio(cold / add),
    ],
    [
      `${files}, landing in the checkout`,
      whole(land),
      `merge --no-ff ${whole(merge)}`,
      ratio(land / merge),
    ],
    [
      `${files}, landing, branch not checked out`,
      whole(landElsewhere),
      `merge --no-ff ${whole(merge)}`,
      ratio(landElsewhere / merge),
    ],
  ];
  return table(
    'Steps of a run',
    ['files, step', 'ms', 'plain git, ms', 'ratio'],
    rows.flatMap(cells),
  );
}

export function landingTable(rows) {
  const head = ['wall ms', '`merge --no-ff`', 'ratio', 'CPU ms', '`merge --no-ff`', 'ratio'];
  return table(
    'Landing one queued branch, without its gate',
    ['files, target, branches waiting', ...head],
    rows.map(({ files, isHere, batch, queue, wallMs, mergeWallMs, cpuMs, mergeCpuMs }) => [
      `${files}, ${isHere ? 'checked out' : 'not checked out'}, ${queue}${batch > 1 ? `, ${batch} at once` : ''}`,
      wallMs.toFixed(1),
      mergeWallMs.toFixed(1),
      ratio(wallMs / mergeWallMs),
      cpuMs.toFixed(1),
      mergeCpuMs.toFixed(1),
      ratio(cpuMs / mergeCpuMs),
    ]),
  );
}

export function makespanTable(rows) {
  return table(
    'Eighteen agents of 0.5 to 5.5 s on 3 slots',
    ['way', 'wall ms', 'bound ms', 'to bound'],
    rows.map(({ way, wallMs, boundMs, toBound }) => [
      way,
      whole(wallMs),
      whole(boundMs),
      ratio(toBound),
    ]),
  );
}

export function commandTable(rows) {
  return table(
    'Commands on a project of 10,000 tasks',
    ['command', 'wall ms', 'CPU ms', 'to `node -e 0`'],
    rows.map(({ command, wallMs, cpuMs, toNode }) => [
      `\`${command}\``,
      whole(wallMs),
      whole(cpuMs),
      ratio(toNode),
    ]),
  );
}

export function memoryTable(rows) {
  return table(
    'Most memory of the engine in a run of six tasks',
    ['program, tasks in the store', 'MB'],
    rows.map(({ tasks, program, peakMb }) => [`${program} ${tasks}`, whole(peakMb)]),
  );
}

export function turnTable(rows) {
  return table(
    'A turn of a real agent with a model that answers at once',
    ['agent', 'by hand, ms', 'as a turn, ms', 'ratio', 'added ms'],
    rows.map(({ agent, handMs, turnMs, addedMs }) => [
      agent,
      whole(handMs),
      whole(turnMs),
      ratio(turnMs / handMs),
      whole(addedMs),
    ]),
  );
}

export function sandboxTable(rows) {
  return table(
    'A child that does nothing, from its start to its recorded end',
    ['sandbox', 'ms', 'added ms', 'CPU ms'],
    rows.map(({ kind, ms, addedMs, cpuMs }) => [kind, whole(ms), whole(addedMs), whole(cpuMs)]),
  );
}

export function claimTable(rows) {
  return table(
    'Claims of tasks by sixteen claimers, each with a connection of its own',
    ['store', 'processes', 'slots of a claimer', 'claims per second', 'claimed twice'],
    rows.map(({ store, processes, slots, perSecond, twice }) => [
      store,
      String(processes),
      String(slots),
      whole(perSecond),
      String(twice),
    ]),
  );
}

export function setUpTable(rows) {
  const [{ files, megabytes }] = rows;
  return table(
    `Dependencies of a worktree: ${files} files, ${megabytes} MB`,
    ['way', 'ms', 'of the set-up'],
    rows.map(({ way, ms, ratio: part }) => [way, whole(ms), ratio(part)]),
  );
}

export function watchTable(rows) {
  return table(
    'The dashboard, 160 × 50, agents that print ten lines a second',
    [
      'agents',
      'share of a core',
      'peak MB',
      'KB to the terminal per s',
      'first frame ms',
      '`node -e 0` ms',
      'ratio',
    ],
    rows.map(({ agents, cpuShare, peakMb, kbPerSecond, frameMs, nodeMs }) => [
      whole(agents),
      `${(cpuShare * 100).toFixed(1)} %`,
      whole(peakMb),
      kbPerSecond.toFixed(1),
      whole(frameMs),
      whole(nodeMs),
      ratio(frameMs / nodeMs),
    ]),
  );
}

export function scaleTable({ core, runs, jobs, pages, load, loadAfter }) {
  const two = (value) => value.toFixed(2);
  return [
    table(
      'Decisions and folds of a run, without git, processes and a database',
      ['tasks', 'CPU ms per task', 'memory KB per task'],
      core.map(({ tasks, cpuMsPerTask, heapKbPerTask }) => [
        String(tasks),
        two(cpuMsPerTask),
        two(heapKbPerTask),
      ]),
    ),
    table(
      'List of projects in the web dashboard',
      ['projects', 'first, ms', 'then, ms', 'MB'],
      pages.map(({ projects, firstMs, ms, mb }) => [
        String(projects),
        whole(firstMs),
        whole(ms),
        whole(mb),
      ]),
    ),
    table(
      'A task of a real run with its records in Postgres',
      [
        'workers',
        'wall ms',
        'CPU ms of the run',
        'connections at most',
        'transactions',
        'WAL KB',
        'rows',
        'KB',
        'rows of jobs',
        'KB of jobs',
      ],
      runs.map((run) => [
        String(run.workers),
        ...[
          run.wallMs,
          run.driverCpuMs,
          run.connections,
          run.transactions,
          run.walKb,
          run.rows,
          run.kb,
          run.jobRows,
          run.jobKb,
        ].map(whole),
      ]),
    ),
    table(
      'One idle worker',
      ['workers', 'connections', 'transactions per second', 'WAL KB per second', 'CPU %', 'MB'],
      runs.flatMap(({ idle }) =>
        idle === undefined
          ? []
          : [
              [
                String(idle.workers),
                two(idle.connections),
                two(idle.transactionsPerSecond),
                two(idle.walKbPerSecond),
                two(idle.cpuPercent),
                whole(idle.mb),
              ],
            ],
      ),
    ),
    table(
      `Jobs that workers answer at once; load ${two(load)} before, ${two(loadAfter)} after`,
      ['workers', 'under way', 'jobs per second', 'transactions per job', 'WAL KB per job'],
      jobs.map(({ workers, atOnce, perSecond, transactions, walKb }) => [
        String(workers),
        String(atOnce),
        whole(perSecond),
        two(transactions),
        two(walKb),
      ]),
    ),
  ].join('\n');
}
