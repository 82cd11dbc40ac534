import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { isJsonObject, parseJson, printJson, type Json, type JsonObject } from '../../util/json.ts';
import type { HelmRelease, HookPhase, HookRun, ReleaseHook, ReleaseStatus } from './helm-release.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** A Secret holds 1 MiB; text that is worth recording grows tenfold at most. */
const maxRecordBytes = 32 * 1024 * 1024;

/** Chart texts in their compressed form: the same chart goes to many clusters, and each of its revisions is written several times. */
const compressedParts = new LRUCache<string, Promise<Buffer>>({ maxSize: 16 * 1024 * 1024, sizeCalculation: (_part, text) => text.length });
const worthSharing = 8 * 1024;

/**
 * The release as Helm keeps it: gzipped JSON in base64. Texts of the chart are gzip members of their own: readers of gzip, Helm among them,
 * take several members for one text.
 */
export async function encodeRelease(release: HelmRelease): Promise<string> {
  const members: Promise<Buffer>[] = [];
  let plain = '{"chart":';
  const flush = () => {
    members.push(compress(plain, { level: 9 }));
    plain = '';
  };
  for (const part of release.chart.parts) {
    if (part.length < worthSharing) {
      plain += part;
      continue;
    }
    flush();
    members.push(compressShared(part));
  }
  plain += `,${printJson(fieldsOf(release)).slice(1)}`;
  flush();
  return Buffer.concat(await Promise.all(members)).toString('base64');
}

function compressShared(part: string): Promise<Buffer> {
  const known = compressedParts.get(part);
  if (known) return known;
  const fresh = compress(part, { level: 9 });
  compressedParts.set(part, fresh);
  return fresh;
}

function fieldsOf(release: HelmRelease): JsonObject {
  const { firstDeployedAt, lastDeployedAt, deletedAt, rollbackRevision, rest } = release;
  const info: JsonObject = {
    ...rest.info,
    ...(firstDeployedAt !== undefined && { first_deployed: firstDeployedAt }),
    ...(lastDeployedAt !== undefined && { last_deployed: lastDeployedAt }),
    ...(deletedAt !== undefined && { deleted: deletedAt }),
    ...(release.description !== '' && { description: release.description }),
    status: release.status,
    ...(rollbackRevision !== undefined && { rollback_revision: rollbackRevision }),
    ...(release.notes !== '' && { notes: release.notes }),
  };
  return {
    ...rest.release,
    name: release.name,
    info,
    ...(Object.keys(release.config).length > 0 && { config: release.config }),
    ...(release.manifest !== '' && { manifest: release.manifest }),
    ...(release.hooks.length > 0 && { hooks: release.hooks.map(hookFields) }),
    version: release.revision,
    namespace: release.namespace,
    ...(release.applyMethod !== '' && { apply_method: release.applyMethod }),
  };
}

function hookFields(hook: ReleaseHook): JsonObject {
  const { startedAt, completedAt, phase } = hook.lastRun;
  return {
    ...hook.rest,
    name: hook.name,
    kind: hook.kind,
    path: hook.path,
    manifest: hook.manifest,
    events: [...hook.events],
    last_run: {
      ...(startedAt !== undefined && { started_at: startedAt }),
      ...(completedAt !== undefined && { completed_at: completedAt }),
      phase,
    },
    ...(hook.weight !== 0 && { weight: hook.weight }),
    ...(hook.deletePolicies.length > 0 && { delete_policies: [...hook.deletePolicies] }),
  };
}

/** Reads what Helm 3, Helm 4 or we wrote. Throws when it is none of these, or too large when unpacked. */
export async function decodeRelease(data: string, labels: Readonly<Record<string, string>> = {}): Promise<HelmRelease> {
  const value = parseJson(await unpack(data));
  if (!isJsonObject(value)) throw new Error('a release must be an object');
  return releaseOf(value, labels);
}

async function unpack(data: string): Promise<string> {
  const bytes = Buffer.from(data, 'base64');
  // Releases of long ago are not compressed.
  if (bytes.length <= 3 || bytes.readUIntBE(0, 3) !== 0x1f8b08) return bytes.toString('utf8');
  try {
    return (await decompress(bytes, { maxOutputLength: maxRecordBytes })).toString('utf8');
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') throw new Error('a release must be gzipped', { cause });
    throw new Error(`a release may have at most ${maxRecordBytes} bytes when unpacked`);
  }
}

const known = new Set(['name', 'info', 'chart', 'config', 'manifest', 'hooks', 'version', 'namespace', 'apply_method']);
const knownInfo = new Set(['first_deployed', 'last_deployed', 'deleted', 'description', 'status', 'rollback_revision', 'notes']);
const knownHook = new Set(['name', 'kind', 'path', 'manifest', 'events', 'last_run', 'weight', 'delete_policies']);

function releaseOf(value: JsonObject, labels: Readonly<Record<string, string>>): HelmRelease {
  const info = objectIn(value, 'info');
  const chart = objectIn(value, 'chart');
  const version = value['version'];
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) throw new Error('a release must have a version');
  const firstDeployedAt = timeIn(info, 'first_deployed');
  const lastDeployedAt = timeIn(info, 'last_deployed');
  const deletedAt = timeIn(info, 'deleted');
  const rollbackRevision = info['rollback_revision'];
  const method = textIn(value, 'apply_method');
  return {
    name: textIn(value, 'name'),
    namespace: textIn(value, 'namespace'),
    revision: version,
    status: (textIn(info, 'status') || 'unknown') as ReleaseStatus,
    description: textIn(info, 'description'),
    ...(firstDeployedAt !== undefined && { firstDeployedAt }),
    ...(lastDeployedAt !== undefined && { lastDeployedAt }),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(typeof rollbackRevision === 'number' && rollbackRevision > 0 && { rollbackRevision }),
    notes: textIn(info, 'notes'),
    chart: { metadata: objectIn(chart, 'metadata'), parts: [printJson(value['chart'] ?? null)] },
    config: objectIn(value, 'config'),
    manifest: textIn(value, 'manifest'),
    hooks: listIn(value, 'hooks').filter(isJsonObject).map(hookOf),
    applyMethod: method === 'ssa' || method === 'csa' ? method : '',
    labels,
    rest: { release: without(value, known), info: without(info, knownInfo) },
  };
}

function hookOf(value: JsonObject): ReleaseHook {
  const weight = value['weight'];
  return {
    name: textIn(value, 'name'),
    kind: textIn(value, 'kind'),
    path: textIn(value, 'path'),
    manifest: textIn(value, 'manifest'),
    events: textsIn(value, 'events'),
    weight: typeof weight === 'number' ? weight : 0,
    deletePolicies: textsIn(value, 'delete_policies'),
    lastRun: runOf(objectIn(value, 'last_run')),
    rest: without(value, knownHook),
  };
}

function runOf(value: JsonObject): HookRun {
  const startedAt = timeIn(value, 'started_at');
  const completedAt = timeIn(value, 'completed_at');
  return {
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
    phase: textIn(value, 'phase') as HookPhase,
  };
}

const textIn = (value: JsonObject, field: string): string => {
  const text = value[field];
  return typeof text === 'string' ? text : '';
};
const listIn = (value: JsonObject, field: string): Json[] => {
  const list = value[field];
  return Array.isArray(list) ? list : [];
};
const textsIn = (value: JsonObject, field: string): string[] => listIn(value, field).filter(item => typeof item === 'string');
const objectIn = (value: JsonObject, field: string): JsonObject => {
  const object = value[field];
  return isJsonObject(object) ? object : {};
};
/** Helm 3 writes times that are not set as empty texts, and some as the year 1. */
const timeIn = (value: JsonObject, field: string): string | undefined => {
  const text = textIn(value, field);
  return text === '' || text.startsWith('0001-01-01T00:00:00') ? undefined : text;
};
const without = (value: JsonObject, fields: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([field]) => !fields.has(field)));
