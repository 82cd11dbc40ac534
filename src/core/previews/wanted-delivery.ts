import { Namespace } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Work } from '../../api/work.ts';
import { withoutOwnedByOthers } from '../delivery/drift-left-alone.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';
import type { Owner } from '../delivery/owner.ts';
import { parseManifests, readManifests } from '../delivery/read-manifests.ts';
import { planDelivery, revisionsOnMember } from '../releases/plan-delivery.ts';
import type { ReleaseRecord } from '../releases/release-record.ts';
import { readReleases } from '../releases/read-releases.ts';
import { inputsOf } from '../works/inputs.ts';
import { lookupOn } from '../works/lookup.ts';
import { patchRelease } from '../works/patch-rendered.ts';
import { renderPlain } from '../works/render-plain.ts';
import { isChart } from '../works/work-indexes.ts';
import { keyOf } from '../../runtime/key.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import type { JsonObject } from '../../util/json.ts';

/** What a delivery would put on a member, and what the last one put there. */
export interface WantedDelivery {
  readonly owner: Owner;
  readonly objects: readonly KubeObject[];
  /** Definitions of the chart and a namespace that is made: they belong to nobody, and stay. */
  readonly ownerless: readonly KubeObject[];
  readonly present: readonly ObjectRef[];
}

export interface DeliverySite {
  readonly member: Member;
  readContent(digest: string, signal: AbortSignal): Promise<Buffer>;
  readonly renderer: RenderPool;
  readonly signal: AbortSignal;
}

/** Renders a Work as the deliverer does. */
export async function wantDelivery(work: Work, site: DeliverySite): Promise<WantedDelivery> {
  const { member, signal } = site;
  const wanted = await (isChart(work) ? wantRelease(work, site) : wantPlain(work, site));
  const exclusions = work.spec.driftExclusions;
  return { ...wanted, objects: await withoutOwnedByOthers(member, wanted.objects, { exclusions, signal }) };
}

/** What is left of a delivery when nobody wants it any more. */
export async function wantNothing(work: Work, { member, signal }: DeliverySite): Promise<WantedDelivery> {
  const { release } = work.spec;
  const rest = { objects: [], ownerless: [] };
  if (!isChart(work)) {
    const present = (work.status?.objects ?? []).filter(({ outrankedBy }) => outrankedBy === undefined);
    return { ...rest, owner: { work: keyOf(work) }, present };
  }
  const owner: Owner = { release };
  return { ...rest, owner, present: await objectsOnMember(await readReleases(member, release, { signal }), work, { member, signal }) };
}

/** What the revisions on the member put there. */
async function objectsOnMember(
  records: readonly ReleaseRecord[],
  { spec: { release } }: Work,
  { member, signal }: Pick<DeliverySite, 'member' | 'signal'>,
): Promise<ObjectRef[]> {
  const options = { namespace: release.namespace, owner: { release }, unknownKinds: 'keep', signal } as const;
  const earlier = await Promise.all(revisionsOnMember(records).map(record => readManifests(member, record.release.manifest, options)));
  return earlier.flat().map(refOf);
}

async function wantPlain(work: Work, site: DeliverySite): Promise<WantedDelivery> {
  const { member, signal } = site;
  const rendered = await renderPlain(site, work, member, signal);
  const outranked = new Set((work.status?.objects ?? []).filter(({ outrankedBy }) => outrankedBy !== undefined).map(refKey));
  const objects = rendered.filter(obj => !outranked.has(refKey(refOf(obj))));
  return {
    owner: { work: keyOf(work) },
    objects,
    ownerless: await missingNamespace(work, objects, {}, { member, signal }),
    present: (work.status?.objects ?? []).filter(({ outrankedBy }) => outrankedBy === undefined),
  };
}

async function wantRelease(work: Work, site: DeliverySite): Promise<WantedDelivery> {
  const { member, signal } = site;
  const { release, options } = work.spec;
  const owner: Owner = { release };
  const records = await readReleases(member, release, { signal });
  const { manifest, definitions } = await renderRelease(work, records, site);
  const objects = await readManifests(member, manifest, { namespace: release.namespace, owner, unknownKinds: 'keep', signal });
  const namespace = await missingNamespace(work, objects, { name: release.namespace }, site);
  const wantedDefinitions = options?.crds === 'Skip' ? [] : definitions.flatMap(text => parseManifests(text));
  return {
    owner,
    objects,
    ownerless: [...namespace, ...(options?.crds === 'CreateReplace' ? wantedDefinitions : await missingOf(wantedDefinitions, site))],
    present: await objectsOnMember(records, work, site),
  };
}

interface Rendered {
  readonly manifest: string;
  readonly definitions: readonly string[];
}

/** What is deployed already, or being deployed, is not rendered again: charts may give something else each time. */
async function renderRelease(
  work: Work,
  records: readonly ReleaseRecord[],
  { member, signal, readContent, renderer }: DeliverySite,
): Promise<Rendered> {
  const { chart, values = {}, release } = work.spec;
  const plan = planDelivery(records, inputsOf(work));
  if (plan.type === 'unchanged' || plan.type === 'continue') return { manifest: plan.record.release.manifest, definitions: [] };
  const facts = plan.type === 'begin' ? plan : { revision: (records.at(-1)?.release.revision ?? 0) + 1, isUpgrade: true };
  const digest = chart?.content ?? '';
  const [bytes, capabilities] = await Promise.all([readContent(digest, signal), member.kinds.capabilities(signal)]);
  const rendered = await renderer.render(
    {
      chart: bytes,
      digest,
      values: values as JsonObject,
      release: { ...release, revision: facts.revision, isUpgrade: facts.isUpgrade },
      capabilities,
      lookup: lookupOn(member),
    },
    signal,
  );
  const { manifest, definitions } = await patchRelease(renderer, work, rendered, signal);
  return { manifest, definitions: definitions.map(({ data }) => data.toString('utf8')) };
}

/** The namespace of the release, where the delivery would make it. */
async function missingNamespace(
  { spec }: Work,
  objects: readonly KubeObject[],
  labels: Record<string, string>,
  { member, signal }: Pick<DeliverySite, 'member' | 'signal'>,
): Promise<KubeObject[]> {
  const { namespace: name } = spec.release;
  const isOwn = objects.some(({ kind, apiVersion, metadata }) => kind === 'Namespace' && apiVersion === 'v1' && metadata.name === name);
  if (spec.options?.createNamespace === false || isOwn) return [];
  if (await member.client.get(Namespace, { name }, { signal })) return [];
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...(Object.keys(labels).length > 0 && { labels }) } }];
}

async function missingOf(objects: readonly KubeObject[], { member, signal }: DeliverySite): Promise<KubeObject[]> {
  const missing: KubeObject[] = [];
  for (const obj of objects) {
    const ref = refOf(obj);
    const kind = await member.kinds.find(ref, signal);
    if (!kind || !(await member.client.get(kind, ref, { signal }))) missing.push(obj);
  }
  return missing;
}
