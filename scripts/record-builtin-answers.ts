// Writes src/apiserver/builtin/recorded/answers.json from a real server. Arguments: its address and a bearer token.
import { writeFileSync } from 'node:fs';
import { Agent, fetch } from 'undici';
import { coreCases } from '../src/apiserver/builtin/recorded/core-cases.ts';
import { emptyCases } from '../src/apiserver/builtin/recorded/empty-cases.ts';
import { groupCases } from '../src/apiserver/builtin/recorded/group-cases.ts';
import { mergePatch } from '../src/apiserver/builtin/workloads/answer-test-support.ts';
import { builtinResources } from '../src/apiserver/facts/facts.ts';
import { parseApiVersion } from '../src/api/object.ts';

const [server = '', token = ''] = process.argv.slice(2);
// Namespaces are not gone at once, so every run has names of its own; the record has them without the suffix.
const suffix = `-run${process.pid}`;
const ns = `recording-${process.pid}`;
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

interface Answer {
  body: Record<string, unknown>;
  warnings: string[];
}

async function send(method: string, path: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const text = JSON.stringify(body).replaceAll('the-namespace', ns);
  const res = await fetch(server + path, { method, dispatcher, headers, body: text });
  const warning = res.headers.get('warning') ?? '';
  const warnings = [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(m => m[1]!.replace(/\\(.)/g, '$1'));
  return { body: (await res.json()) as Record<string, unknown>, warnings };
}

function pathOf(apiVersion: string, kind: string): string {
  const { group, version } = parseApiVersion(apiVersion);
  const fact = builtinResources().find(r => r.group === group && r.version === version && r.kind === kind)!;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return fact.namespaced ? `${root}/namespaces/${ns}/${fact.resource}` : `${root}/${fact.resource}`;
}

const withoutManagedFields = (body: Record<string, unknown>) => ({
  ...body,
  metadata: { ...(body['metadata'] as object), managedFields: undefined },
});

await send('POST', '/api/v1/namespaces', { metadata: { name: ns } });
const recorded: Record<string, unknown> = {};
for (const [n, { name, apiVersion, kind, body, update, subresource }] of [...coreCases, ...groupCases, ...emptyCases].entries()) {
  const metadata = (body['metadata'] ?? {}) as Record<string, unknown>;
  const objectName = (metadata['name'] as string | undefined) ?? `x${n}${suffix}`;
  const path = pathOf(apiVersion, kind);
  const created = await send('POST', path, { ...body, metadata: { ...metadata, name: objectName } });
  let answer = created;
  const isStored = created.body['kind'] !== 'Status';
  if (update !== undefined) {
    if (!isStored) throw new Error(`"${name}" was not created: ${String(created.body['message'])}`);
    answer = await send(
      'PUT',
      `${path}/${objectName}${subresource === undefined ? '' : `/${subresource}`}`,
      mergePatch(created.body, update),
    );
  }
  if (isStored) await send('DELETE', `${path}/${objectName}`, {});
  const details = answer.body['details'] as { causes?: unknown } | undefined;
  recorded[name] = {
    ...(update !== undefined && { old: withoutManagedFields(created.body) }),
    ...(answer.body['kind'] === 'Status'
      ? { code: answer.body['code'], message: answer.body['message'], causes: details?.causes ?? [] }
      : { object: withoutManagedFields(answer.body) }),
    ...(answer.warnings.length > 0 && { warnings: answer.warnings }),
  };
}
const lines = Object.entries(recorded).map(([name, answer]) =>
  `${JSON.stringify(name)}: ${JSON.stringify(answer)}`.replaceAll(ns, 'the-namespace').replaceAll(suffix, ''),
);
writeFileSync(new URL('../src/apiserver/builtin/recorded/answers.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
