// Writes src/apiserver/builtin/workloads/recorded-answers.json from a real server. Arguments: its address and a bearer token.
import { writeFileSync } from 'node:fs';
import { Agent, fetch } from 'undici';
import { answerCases } from '../src/apiserver/builtin/workloads/answer-cases.ts';
import { mergePatch } from '../src/apiserver/builtin/workloads/answer-test-support.ts';

const [server = '', token = ''] = process.argv.slice(2);
const ns = `recording-${process.pid}`;
const paths: Record<string, string> = {
  Pod: `/api/v1/namespaces/${ns}/pods`,
  ReplicationController: `/api/v1/namespaces/${ns}/replicationcontrollers`,
  Deployment: `/apis/apps/v1/namespaces/${ns}/deployments`,
  ReplicaSet: `/apis/apps/v1/namespaces/${ns}/replicasets`,
  StatefulSet: `/apis/apps/v1/namespaces/${ns}/statefulsets`,
  DaemonSet: `/apis/apps/v1/namespaces/${ns}/daemonsets`,
  Job: `/apis/batch/v1/namespaces/${ns}/jobs`,
  CronJob: `/apis/batch/v1/namespaces/${ns}/cronjobs`,
};
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

interface Answer {
  body: Record<string, unknown>;
  warnings: string[];
}

async function send(method: string, path: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const res = await fetch(server + path, { method, dispatcher, headers, body: JSON.stringify(body) });
  const warning = res.headers.get('warning') ?? '';
  const warnings = [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(m => m[1]!.replace(/\\(.)/g, '$1'));
  return { body: (await res.json()) as Record<string, unknown>, warnings };
}

function withoutManagedFields(body: Record<string, unknown>): unknown {
  return { ...body, metadata: { ...(body['metadata'] as object), managedFields: undefined } };
}

await send('POST', '/api/v1/namespaces', { metadata: { name: ns } });
const recorded: Record<string, unknown> = {};
let n = 0;
for (const { name, kind, spec, metadata, update, subresource } of answerCases) {
  const objectName = (metadata?.['name'] as string | undefined) ?? `x${n++}`;
  const created = await send('POST', paths[kind]!, { metadata: { ...metadata, name: objectName }, spec });
  let answer = created;
  if (update !== undefined) {
    if (created.body['kind'] === 'Status') throw new Error(`"${name}" was not created: ${String(created.body['message'])}`);
    const suffix = subresource === undefined ? '' : `/${subresource}`;
    answer = await send('PUT', `${paths[kind]}/${objectName}${suffix}`, mergePatch(created.body, update));
  }
  const details = answer.body['details'] as { causes?: unknown } | undefined;
  const isFailure = answer.body['kind'] === 'Status';
  recorded[name] = {
    ...(update !== undefined && { old: withoutManagedFields(created.body) }),
    ...(isFailure
      ? { code: answer.body['code'], message: answer.body['message'], causes: details?.causes ?? [] }
      : { object: withoutManagedFields(answer.body) }),
    ...(answer.warnings.length > 0 && { warnings: answer.warnings }),
  };
}
writeFileSync(
  new URL('../src/apiserver/builtin/workloads/recorded-answers.json', import.meta.url),
  `{\n${Object.entries(recorded)
    .map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`)
    .join(',\n')}\n}\n`,
);
