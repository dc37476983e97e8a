// The manifests of examples/kubernetes, compared with the program, its limits and its image. No cluster is needed.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { commands } from '../src/cli/commands.ts';
import { parse } from '../src/cli/parse.ts';
import { jobLimits } from '../src/model/job.ts';
import { limits } from '../src/model/limits.ts';

const textOf = (path: string): string =>
  readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const named = z.looseObject({ name: z.string() });
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()),
  env: z.array(named),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })),
  resources: z.looseObject({ limits: z.strictObject({ memory: z.string() }) }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
});
const pod = z.strictObject({
  restartPolicy: z.literal('OnFailure').optional(),
  terminationGracePeriodSeconds: z.int(),
  shareProcessNamespace: z.literal(true),
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  securityContext: z.looseObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int(),
    fsGroup: z.int(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.tuple([container]),
  // Nothing of the node: only folders of the pod, and secrets.
  volumes: z.array(
    z.strictObject({
      name: z.string(),
      emptyDir: z.object().optional(),
      secret: z.object().optional(),
    }),
  ),
});
const workload = z.looseObject({
  apiVersion: z.enum(['apps/v1', 'batch/v1']),
  kind: z.enum(['StatefulSet', 'Job']),
  spec: z.looseObject({
    template: z.strictObject({ metadata: z.looseObject({}), spec: pod }),
    volumeClaimTemplates: z.array(z.looseObject({ metadata: named })).default([]),
  }),
});

const folder = 'examples/kubernetes';
const files = ['worker-pool.yaml', 'worker-job.yaml'];

function documentsOf(file: string): readonly unknown[] {
  return parseAllDocuments(textOf(`${folder}/${file}`)).map((document) => {
    expect(document.errors, file).toEqual([]);
    return document.toJS();
  });
}

function workloadOf(file: string) {
  const { spec } = workload.parse(documentsOf(file).at(-1));
  const [worker] = spec.template.spec.containers;
  return { spec, pod: spec.template.spec, worker };
}

const packageFile = z
  .object({ name: z.string(), version: z.string(), engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(textOf('package.json')));
const dockerfile = textOf(`${folder}/Dockerfile`);

describe.each(files)('%s', (file) => {
  it('starts a worker with options that it has', () => {
    const { worker } = workloadOf(file);
    const args = worker.args.map((arg) => arg.replace('$(POD_NAME)', 'yardmaster-worker-0'));
    const call = parse(args);
    expect(call).toMatchObject({ ok: true, value: { command: 'worker' } });
    expect(worker.env.map(({ name }) => name)).toContain('POD_NAME');
  });

  it('sets only variables of Yardmaster that the help of the command names', () => {
    const { worker } = workloadOf(file);
    const row = commands.find(({ name }) => name === 'worker');
    const help = JSON.stringify([row?.options, row?.examples]);
    const ours = worker.env
      .map(({ name }) => name)
      .filter((name) => name.startsWith('YARDMASTER_'));
    expect(ours).toEqual(['YARDMASTER_STORE']);
    for (const name of ours) expect(help).toContain(name);
  });

  it('takes every secret from a secret', () => {
    const { worker } = workloadOf(file);
    const store = worker.env.find(({ name }) => name === 'YARDMASTER_STORE');
    expect(store).toEqual({
      name: 'YARDMASTER_STORE',
      valueFrom: { secretKeyRef: { name: 'yardmaster-store', key: 'url' } },
    });
    expect(JSON.stringify(documentsOf(file))).not.toMatch(/postgres:|PASSWORD|API_KEY/);
  });

  it('gives a drained worker the time of a whole turn', () => {
    const { pod: own } = workloadOf(file);
    const turnMs = limits.agentWallMs + limits.killGraceMs + jobLimits.lostMs;
    expect(own.terminationGracePeriodSeconds * 1000).toBeGreaterThan(turnMs);
  });

  it('has a volume for each mount, and may write every folder that it needs', () => {
    const { worker, pod: own, spec } = workloadOf(file);
    const volumes = [...own.volumes, ...spec.volumeClaimTemplates.map(({ metadata }) => metadata)];
    const known = volumes.map(({ name }) => name).sort();
    expect(worker.volumeMounts.map(({ name }) => name).sort()).toEqual(known);
    const writable = worker.volumeMounts.flatMap(({ mountPath, readOnly }) =>
      readOnly ? [] : mountPath,
    );
    const home = worker.env.find(({ name }) => name === 'HOME')?.value;
    const dir = worker.args.find((arg) => arg.startsWith('--dir='))?.slice('--dir='.length);
    expect(writable.sort()).toEqual(['/tmp', home, dir].sort());
  });

  it('uses the image of this version, as its user', () => {
    const { worker, pod: own } = workloadOf(file);
    expect(worker.image).toBe(`yardmaster-worker:${packageFile.version}`);
    expect(dockerfile).toContain(`-t ${worker.image} `);
    expect(dockerfile).toContain(`USER ${own.securityContext.runAsUser}`);
    expect(own.securityContext.fsGroup).toBe(own.securityContext.runAsUser);
  });

  it('opens no port', () => {
    for (const document of documentsOf(file)) {
      expect(JSON.stringify(document)).not.toMatch(
        /"(?:ports|containerPort|hostNetwork|hostPath)"/,
      );
    }
  });
});

it('runs the same container in both, apart from its command, options and disk', () => {
  const common = files.map((file) => {
    const { command: _, args: _args, ...worker } = workloadOf(file).worker;
    return worker;
  });
  expect(common[0]).toEqual(common[1]);
});

it('passes the end of a night to the worker as one SIGTERM', () => {
  expect(workloadOf('worker-job.yaml').worker.command).toEqual([
    'timeout',
    '--foreground',
    '--preserve-status',
    '--signal=TERM',
    '8h',
    'ym',
  ]);
});

it('builds the image from the package and a Node.js that it runs on', () => {
  const [, major = ''] = /^FROM node:(\d+)-/m.exec(dockerfile) ?? [];
  expect(packageFile.engines.node).toMatch(new RegExp(`^>=${major}\\.`));
  expect(dockerfile).toContain(`COPY ${packageFile.name}-*.tgz`);
  expect(dockerfile).toMatch(/^ENTRYPOINT \["ym"\]$/m);
});
