import { LRUCache } from 'lru-cache';
import { ConfigMap, Secret } from '../../api/builtin-kinds.ts';
import { withConditions } from '../../api/conditions.ts';
import type { Kind } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject, type OwnerReference } from '../../api/object.ts';
import { followedObjects } from '../../core/references/followed-objects.ts';
import type { Member } from '../../core/delivery/member.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { putContent } from '../../core/contents/put-content.ts';
import { ContentMissingError, readContent } from '../../core/contents/read-content.ts';
import {
  changesOf,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
  type Trigger,
} from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { checkConstraint, parseVersion } from '../../render/semver/semver.ts';
import { errorText } from '../../util/error-text.ts';
import { jsonEqual, type JsonObject } from '../../util/json.ts';
import { chartFacts, clusterFacts, providerFacts, serviceFacts, type ChartFacts } from './chart-facts.ts';
import { runFlux, type FluxDeps } from './flux-controller.ts';
import type { FluxInformers } from './flux-informers.ts';
import { holdContent, runHeldContents } from './hold-contents.ts';
import { Bucket, GitRepository, HelmChart, OCIRepository, verifiedCondition } from './kinds/flux-source.ts';
import { k0rdentLabels, systemNamespace } from './kinds/group.ts';
import { ClusterTemplate, ProviderTemplate, ServiceTemplate } from './kinds/template.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';
import { clusterModeAnnotation, contentAnnotation } from './template-content.ts';
import { isBuiltInTemplate } from './copy-template.ts';
import { chartIn, checkKustomization, manifestsIn, manifestsOf, repackFolder, type TemplateBytes } from './template-files.ts';
import { byOrigin, type InformerSettings, type TemplateInformers } from './template-informers.ts';
import {
  namespaceOf,
  originKey,
  originOf,
  secondChartName,
  type AnyTemplate,
  type ChartOrigin,
  type DataOrigin,
  type FolderOrigin,
  type TemplateOrigin,
} from './template-origin.ts';

export interface TemplatesDeps extends Omit<FluxDeps, 'flux'> {
  readonly hubObjects: Pick<Member, 'watches'>;
  readonly templates: TemplateInformers;
  readonly flux: FluxInformers;
  onError: InformerSettings['onError'];
}

const fieldManager = 'drover-k0rdent-templates';

/** The template cannot be used for now, in words for its status. */
class TemplateFault extends Error {
  override name = 'TemplateFault';
}

/** Nobody who is trusted has signed what the template would be made of. */
class UnsignedFault extends TemplateFault {
  override name = 'UnsignedFault';
}

type TemplateStatus = NonNullable<ServiceTemplate['status'] & ClusterTemplate['status'] & ProviderTemplate['status']>;

/** How an object is, of which changes are heard from then on. */
type Look = (ref: ObjectRef) => Promise<KubeObject | undefined>;

const dataRef = (kind: 'ConfigMap' | 'Secret', { namespace, name }: { namespace: string; name: string }): ObjectRef => ({
  ...{ group: '', version: 'v1', kind },
  namespace,
  name,
});

/** What is known of a template's bytes. */
interface Found {
  readonly digest: string;
  readonly chart?: ChartFacts;
  readonly chartRef?: { kind: 'HelmChart'; namespace: string; name: string };
  readonly sourceStatus?: JsonObject;
}

/** Runs what makes templates usable: their sources are fetched, their bytes kept, and their status says what is in them. */
export function runTemplates(deps: TemplatesDeps): RunningController[] {
  const { hub, hubObjects, templates, flux, signal } = deps;
  const known = new LRUCache<string, ChartFacts>({ max: 200 });
  const holders = [
    templates.serviceTemplates,
    templates.clusterTemplates,
    templates.providerTemplates,
    flux.helmCharts,
    flux.gitRepositories,
    flux.ociRepositories,
    flux.buckets,
  ] as unknown as Informer[];
  return [
    ...runFlux(deps),
    runHeldContents({ hub, holders, signal }),
    run(ServiceTemplate, templates.serviceTemplates, (template, facts) => serviceFacts(template, facts), 'schema-st-'),
    run(ClusterTemplate, templates.clusterTemplates, (template, facts) => clusterFacts(template, facts), 'schema-ct-'),
    run(ProviderTemplate, templates.providerTemplates, (template, facts) => providerFacts(template, facts), 'schema-pt-'),
  ];

  function run<T extends AnyTemplate>(
    kind: Kind<T['spec'], NonNullable<T['status']>>,
    objects: Informer<T>,
    factsOf: (template: T, facts: Pick<ChartFacts, 'annotations'>) => Partial<TemplateStatus>,
    schemaPrefix: string,
  ): RunningController {
    const usersOf = (source: string) => (obj: KubeObject) =>
      objects.by(byOrigin, originKey(source, obj.metadata.namespace ?? '', obj.metadata.name ?? '')).map(keyOf);
    const triggers: Trigger[] = [
      changesOf(objects),
      changesOf(flux.helmCharts, usersOf('HelmChart')),
      changesOf(flux.gitRepositories, usersOf('GitRepository')),
      changesOf(flux.ociRepositories, usersOf('OCIRepository')),
      changesOf(flux.buckets, usersOf('Bucket')),
    ];
    // Few of the hub's ConfigMaps and Secrets are named by templates.
    const followed = followedObjects(hubObjects.watches, key => running.add(key));
    const running = runController({ name: `k0rdent-${kind.resource}`, reconcile }, { triggers, signal, concurrency: 8, firstDelayMs: 500 });
    return running;

    async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
      const refs: ObjectRef[] = [];
      const look = (ref: ObjectRef) => {
        refs.push(ref);
        return followed.read(ref, key, ctx.signal);
      };
      const found = objects.get(key);
      if (found && found.metadata.deletionTimestamp === undefined)
        await keep({ ...found, apiVersion: apiVersionOf(kind), kind: kind.kind }, look, ctx);
      followed.keepOnly(key, refs);
      return settled;
    }

    async function keep(template: T, look: Look, ctx: Context): Promise<void> {
      try {
        const origin = understood(() => originOf(template));
        if ('from' in origin && (origin.from === 'ConfigMap' || origin.from === 'Secret')) await look(dataRef(origin.from, origin));
        const bytes = await findBytes(template, origin, ctx);
        const facts = factsOf(template, bytes.chart ?? { annotations: {} });
        checkFacts(facts);
        const schemaConfigMapName = await keepSchema(template, bytes.chart?.schema, look, ctx);
        await mark(template, bytes, ctx);
        await report(template, { ...validStatus(bytes), ...facts, ...(schemaConfigMapName && { schemaConfigMapName }) }, ctx);
      } catch (error) {
        if (ctx.signal.aborted || !(error instanceof TemplateFault)) throw error;
        await mark(template, error instanceof UnsignedFault ? 'withdrawn' : undefined, ctx);
        await report(template, { valid: false, validationError: errorText(error) }, ctx);
      }
    }

    /** Bytes that were good once are not taken from those who use them: the source may be away for a moment. Those that must be signed and are not are. */
    async function mark(template: T, found: Found | 'withdrawn' | undefined, ctx: Context): Promise<void> {
      const { digest, chart } = found === 'withdrawn' ? {} : (found ?? {});
      const annotations = found && {
        [contentAnnotation]: digest,
        [clusterModeAnnotation]: chart?.annotations[clusterModeAnnotation],
      };
      const marks = { labels: componentLabels, ...(annotations && { annotations }) };
      await markObject(hub, kind as Kind, template, marks, { fieldManager, signal: ctx.signal });
    }

    async function report(template: T, said: Partial<TemplateStatus> & { valid: boolean }, ctx: Context): Promise<void> {
      const { generation } = template.metadata;
      const { valid, validationError = '' } = said;
      const condition = {
        type: 'Ready',
        status: valid ? ('True' as const) : ('False' as const),
        reason: valid ? 'Succeeded' : 'Failed',
        message: valid ? 'Object is ready' : validationError,
      };
      const status = {
        ...said,
        conditions: withConditions(template.status?.conditions, [condition], { now: ctx.now, generation }),
        ...(generation !== undefined && { observedGeneration: generation }),
      };
      await reportStatus(hub, kind, template, status as never, { fieldManager, signal: ctx.signal });
    }

    async function keepSchema(template: T, schema: string | undefined, look: Look, ctx: Context): Promise<string | undefined> {
      if (schema === undefined) return undefined;
      const name = `${schemaPrefix}${template.metadata.name}`;
      const namespace = namespaceOf(template);
      // It cannot change without the chart, and then the status names none yet.
      if ((await look(dataRef('ConfigMap', { namespace, name }))) && template.status?.schemaConfigMapName === name) return name;
      const metadata = { namespace, name, labels: { [k0rdentLabels.managed]: 'true' }, ownerReferences: [ownedBy(template)] };
      await hub.apply(ConfigMap, { metadata, data: { schema } }, { fieldManager, signal: ctx.signal });
      return name;
    }
  }

  async function findBytes(template: AnyTemplate, origin: TemplateOrigin, ctx: Context): Promise<Found> {
    const builtIn = builtInContent(template, key => templates.clusterTemplates.get(key));
    if (builtIn !== undefined) return { digest: builtIn, chart: await factsFor(builtIn, ctx) };
    if (origin.from === 'HelmChart') return findChart(template, origin, ctx);
    return 'path' in origin ? findFolder(template, origin, ctx) : findData(origin, ctx);
  }

  async function findChart(template: AnyTemplate, origin: ChartOrigin, ctx: Context): Promise<Found> {
    const { namespace, make } = origin;
    const name = make ? await ensureChart(template, { ...origin, make }, ctx) : origin.name;
    const chart = flux.helmCharts.get(`${namespace}/${name}`);
    if (!chart && !make) throw new TemplateFault(`HelmChart ${namespace}/${name} not found`);
    const digest = digestOf(chart);
    return { digest, chart: await factsFor(digest, ctx), chartRef: { kind: 'HelmChart', namespace, name } };
  }

  /** Makes the HelmChart of a template and answers its name. */
  async function ensureChart(
    template: AnyTemplate,
    { namespace, name: first, make }: { namespace: string; name: string; make: HelmChart['spec'] },
    ctx: Context,
  ): Promise<string> {
    const isFree = (name: string) => {
      const present = flux.helmCharts.get(`${namespace}/${name}`);
      return !present || isOwned(present, template);
    };
    const name = isFree(first) ? first : secondChartName(template);
    if (!isFree(name)) throw new TemplateFault(`HelmChart ${namespace}/${name} belongs to another object`);
    await ensureSource(HelmChart, flux.helmCharts.get(`${namespace}/${name}`), { template, namespace, name, spec: make }, ctx);
    return name;
  }

  async function ensureSource<Spec extends object>(
    kind: Kind<Spec, unknown>,
    present: KubeObject | undefined,
    { template, namespace, name, spec }: { template: AnyTemplate; namespace: string; name: string; spec: Spec },
    ctx: Context,
  ): Promise<void> {
    const has = (spec as JsonObject) ?? {};
    const says = (present?.['spec'] ?? {}) as JsonObject;
    if (present && Object.entries(has).every(([key, value]) => jsonEqual(says[key], value))) return;
    const metadata = { namespace, name, labels: { [k0rdentLabels.managed]: 'true' }, ownerReferences: [ownedBy(template)] };
    await hub.apply(kind, { metadata, spec } as never, { fieldManager, signal: ctx.signal });
  }

  async function findFolder(template: AnyTemplate, { from, namespace, name, as, path, make }: FolderOrigin, ctx: Context): Promise<Found> {
    const [kind, objects] = {
      GitRepository: [GitRepository, flux.gitRepositories] as const,
      OCIRepository: [OCIRepository, flux.ociRepositories] as const,
      Bucket: [Bucket, flux.buckets] as const,
    }[from];
    const source = objects.get(`${namespace}/${name}`);
    if (make) {
      if (source && !isOwned(source, template)) throw new TemplateFault(`${from} ${namespace}/${name} belongs to another object`);
      await ensureSource(kind as unknown as Kind<JsonObject>, source, { template, namespace, name, spec: make }, ctx);
    } else if (!source) throw new TemplateFault(`${from} ${namespace}/${name} not found`);
    const digest = digestOf(source);
    const { artifact, conditions, observedGeneration } = source?.status ?? {};
    const sourceStatus = JSON.parse(
      JSON.stringify({ kind: from, namespace, name, artifact, conditions, observedGeneration }),
    ) as JsonObject;
    const archive = await read(digest, ctx);
    if (as === 'kustomization') {
      understood(() => checkKustomization(archive, path));
      return { digest, sourceStatus };
    }
    const stored = await store(
      understood(() => (as === 'chart' ? chartIn(archive, path) : manifestsIn(archive, path))),
      ctx,
    );
    return { digest: stored, sourceStatus, ...(as === 'chart' && { chart: await factsFor(stored, ctx) }) };
  }

  async function findData({ from, namespace, name, as }: DataOrigin, ctx: Context): Promise<Found> {
    const parts = await readData(from, { namespace, name }, ctx);
    if (!parts) throw new TemplateFault(`${from} ${namespace}/${name} not found`);
    const made = understood(() => {
      if (as === 'manifests') return manifestsOf(parts.map(part => part.toString()));
      if (parts.length !== 1) throw new Error(`${from} ${namespace}/${name} must hold one archive, a gzipped tar`);
      return repackFolder(parts[0]!);
    });
    if (as === 'kustomization') understood(() => checkKustomization(made.bytes, ''));
    return { digest: await store(made, ctx), sourceStatus: { kind: from, namespace, name } };
  }

  /** What it holds, in the order of its keys. */
  async function readData(
    from: 'ConfigMap' | 'Secret',
    key: { namespace: string; name: string },
    ctx: Context,
  ): Promise<Buffer[] | undefined> {
    const found = from === 'Secret' ? await hub.get(Secret, key, ctx) : await hub.get(ConfigMap, key, ctx);
    if (!found) return undefined;
    const plain = from === 'Secret' ? [] : Object.entries(found.data ?? {}).map(([name, text]) => [name, Buffer.from(text)] as const);
    const packed = Object.entries((from === 'Secret' ? found.data : (found as ConfigMap).binaryData) ?? {});
    const all = [...plain, ...packed.map(([name, text]) => [name, Buffer.from(String(text), 'base64')] as const)];
    return all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes);
  }

  async function store({ bytes, ...facts }: TemplateBytes, ctx: Context): Promise<string> {
    const digest = await putContent(hub, bytes, facts, { signal: ctx.signal });
    await holdContent(hub, digest, ctx.signal);
    return digest;
  }

  async function factsFor(digest: string, ctx: Context): Promise<ChartFacts> {
    const present = known.get(digest);
    if (present) return present;
    const bytes = await read(digest, ctx);
    const facts = understood(() => chartFacts(bytes));
    known.set(digest, facts);
    return facts;
  }

  async function read(digest: string, ctx: Context): Promise<Buffer> {
    try {
      return await readContent(hub, digest, { signal: ctx.signal });
    } catch (error) {
      if (error instanceof ContentMissingError) throw new TemplateFault('Source is not ready: its bytes have gone', { cause: error });
      throw error;
    }
  }
}

function validStatus({ chart, chartRef, sourceStatus }: Found): Partial<TemplateStatus> & { valid: true } {
  return {
    valid: true,
    ...(chart && { chartVersion: chart.version }),
    ...(chart?.description && { description: chart.description }),
    ...(chart?.values && Object.keys(chart.values).length > 0 && { config: chart.values }),
    ...(chartRef && { chartRef }),
    ...(sourceStatus && { sourceStatus }),
  };
}

/** The bytes of a template that came with Drover and has no source. Copies in other namespaces have those of the original, whatever they say themselves. */
function builtInContent(template: AnyTemplate, find: (key: Key) => ClusterTemplate | undefined): string | undefined {
  const { kind, metadata } = template;
  if (kind !== ClusterTemplate.kind || !isBuiltInTemplate(template)) return undefined;
  const original = metadata.namespace === systemNamespace ? template : find(`${systemNamespace}/${metadata.name}`);
  return original && isBuiltInTemplate(original) ? original.metadata.annotations?.[contentAnnotation] : undefined;
}

/** Whatever goes wrong inside is the fault of the source. */
function understood<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new TemplateFault(errorText(cause), { cause });
  }
}

function checkFacts({ k8sConstraint, k8sVersion }: Partial<TemplateStatus>): void {
  if (k8sVersion !== undefined) understood(() => inWords(`k8sVersion "${k8sVersion}" is no version`, () => parseVersion(k8sVersion)));
  if (k8sConstraint !== undefined)
    understood(() => inWords(`k8sConstraint "${k8sConstraint}" is no range of versions`, () => checkConstraint(k8sConstraint, '1.30.0')));
}

function inWords(message: string, check: () => unknown): void {
  try {
    check();
  } catch (cause) {
    throw new Error(message, { cause });
  }
}

/** The bytes of a source. Throws what its status says while there are none. */
function digestOf(source: (KubeObject & { status?: HelmChart['status'] }) | undefined): string {
  const digest = source?.metadata.annotations?.[contentAnnotation];
  if (digest !== undefined) return digest;
  const ready = source?.status?.conditions?.find(one => one.type === 'Ready');
  const isUnsigned = source?.status?.conditions?.some(one => one.type === verifiedCondition && one.status === 'False') === true;
  const Fault = isUnsigned ? UnsignedFault : TemplateFault;
  throw new Fault(ready?.status === 'False' ? `Source is not ready: ${ready.message}` : 'Source is not ready');
}

const ownedBy = ({ apiVersion, kind, metadata }: AnyTemplate): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name!,
  uid: metadata.uid!,
  controller: true,
  blockOwnerDeletion: true,
});

const isOwned = ({ metadata }: KubeObject, owner: KubeObject): boolean =>
  (metadata.ownerReferences ?? []).some(one => one.controller === true && one.uid === owner.metadata.uid);
