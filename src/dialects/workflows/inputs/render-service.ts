import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { readContent } from '../../../core/contents/read-content.ts';
import { DeliveryError } from '../../../core/delivery/delivery-error.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import { RenderError, type RenderPool } from '../../../render/render-pool.ts';
import { readMap } from '../../../render/text/read-map.ts';
import { SingleFlight } from '../../../sources/single-flight.ts';
import { errorText } from '../../../util/error-text.ts';
import { printJson, type JsonObject } from '../../../util/json.ts';
import { mergeValues } from '../../../util/merge-values.ts';
import { fillFile, valuesOfFile } from '../expressions/file-text.ts';
import type { ClusterOverride } from '../kinds/infrastructure-definition.ts';
import { differenceOf, patchObjects, type ClusterDifference } from './cluster-overrides.ts';
import { at, faultOf, InputError, inputReasons } from './input-error.ts';
import { hideSecrets } from '../logs/hide-secrets.ts';
import { placeInNamespace } from './place-objects.ts';
import type { RenderRequest, RunInputs } from './run-inputs.ts';
import { runScope } from './run-scope.ts';
import type { RunSnapshot } from './run-snapshot.ts';
import { bundleReader, chooseFiles, type BundleFile, type ServiceBundle } from './service-bundle.ts';

export interface RenderDeps {
  readonly hub: KubeClient;
  readonly renderer: RenderPool;
}

/** Everything on which the objects for a cluster depend. */
interface Inputs {
  readonly bundle: ServiceBundle;
  /** What expressions stand for: of each file of values, and of each file of manifests. */
  readonly valueTexts: readonly (readonly string[])[];
  readonly fileTexts: ReadonlyMap<BundleFile, readonly string[]>;
  readonly difference: ClusterDifference;
  readonly namespace: string;
  readonly releaseName: string;
  readonly skipsRendering: boolean;
}

const keptBytes = 64 * 1024 * 1024;

/** Renders for clusters. What is the same for many is rendered once, and they share the objects. */
export function serviceRenderer({ hub, renderer }: RenderDeps): RunInputs['renderFor'] {
  const readBundle = bundleReader({ hub, renderer });
  const kept = new LRUCache<string, readonly KubeObject[]>({
    maxSize: keptBytes,
    sizeCalculation: objects => printJson(objects).length + 64,
  });
  const flights = new SingleFlight<readonly KubeObject[]>();

  return async (snapshot, request, signal) => {
    try {
      return { objects: await renderOnce(snapshot, request, signal) };
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error) ?? renderFault(error);
      if (!fault) throw error;
      return { fault: { ...fault, message: hideSecrets(request.facts.secrets?.values() ?? [])(fault.message) } };
    }
  };

  async function renderOnce(snapshot: RunSnapshot, request: RenderRequest, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const inputs = await gather(snapshot, request, signal);
    const key = keyOf(snapshot, request, inputs);
    const known = kept.get(key);
    if (known) return known;
    return flights.run(key, signal, async stop => {
      const objects = kept.get(key) ?? (await render(inputs, stop));
      kept.set(key, objects);
      return objects;
    });
  }

  async function gather(snapshot: RunSnapshot, request: RenderRequest, signal: AbortSignal): Promise<Inputs> {
    const { cluster, filePaths, skipRendering: skipsRendering = false } = request;
    const name = request.service ?? snapshot.service;
    const service = snapshot.services[name];
    if (!service) throw new InputError(inputReasons.notFound, `The run has no service "${name}"`);
    const { namespace, releaseName, spec } = snapshot.infrastructure;
    const bundle = chooseFiles(await readBundle(service, signal), skipMarks(snapshot), filePaths);
    const scope = runScope(snapshot, { ...request.facts, service: name, cluster });
    const files = bundle.parts.flatMap(part => ('files' in part ? part.files : []));
    const none = { values: [], patches: [] };
    const overrides = (spec['overrides'] ?? []) as unknown as readonly ClusterOverride[];
    return {
      bundle,
      valueTexts: skipsRendering ? [] : await Promise.all(bundle.values.map(one => at('values', () => valuesOfFile(one, scope)))),
      fileTexts: new Map(
        skipsRendering ? [] : await Promise.all(files.map(one => at(one.path, () => [one, valuesOfFile(one.file, scope)] as const))),
      ),
      difference: skipsRendering ? none : await at('spec.overrides', () => differenceOf(overrides, cluster, scope)),
      namespace,
      releaseName,
      skipsRendering,
    };
  }

  async function render(inputs: Inputs, signal: AbortSignal): Promise<readonly KubeObject[]> {
    const { bundle, difference, namespace } = inputs;
    const values = await at('values', () => valuesOf(inputs));
    const objects: KubeObject[] = [];
    for (const part of bundle.parts) {
      if ('chart' in part) objects.push(...(await renderChart(part.chart, values, inputs, signal)));
      else for (const file of part.files) objects.push(...(await renderFile(file, values, inputs, signal)));
    }
    const patched = await patchObjects(renderer, objects, { patches: difference.patches, namespace }, signal);
    return placeInNamespace(patched, namespace);
  }

  async function renderFile(
    bundled: BundleFile,
    values: JsonObject,
    { fileTexts, skipsRendering }: Inputs,
    signal: AbortSignal,
  ): Promise<KubeObject[]> {
    const { path, file, isTemplate } = bundled;
    if (skipsRendering) return parse(path, file.text);
    const text = fillFile(file, fileTexts.get(bundled)!, isTemplate);
    if (!isTemplate) return parse(path, text);
    return parse(path, await renderer.renderText({ name: path, text, dot: { Values: values }, objects: {} }, signal));
  }

  async function renderChart(
    digest: string,
    values: JsonObject,
    { namespace, releaseName }: Inputs,
    signal: AbortSignal,
  ): Promise<KubeObject[]> {
    const chart = await readContent(hub, digest, { signal });
    const { definitions, manifests, hooks } = await renderer.render(
      { chart, digest, values, release: { name: releaseName, namespace } },
      signal,
    );
    // As `helm template` gives it. Tests are for whoever asks for them.
    const texts = [
      ...definitions.map(({ path, data }) => ({ path, content: data.toString('utf8') })),
      ...manifests,
      ...hooks.filter(hook => !hook.events.some(event => event.startsWith('test'))),
    ];
    return texts.flatMap(({ path, content }) => parse(path, content));
  }
}

function renderFault(error: unknown) {
  const isOurs = (error instanceof RenderError && error.isFinal) || error instanceof DeliveryError;
  if (!isOurs) return undefined;
  return { failureType: 'ApplicationError' as const, reason: inputReasons.renderFailed, message: errorText(error) };
}

function parse(path: string, text: string): KubeObject[] {
  try {
    return parseManifests(text);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    throw new InputError(inputReasons.renderFailed, `${path}: ${errorText(error)}`);
  }
}

/** Merged key by key: those of the service and the environment in their order, then what differs on the cluster. */
function valuesOf({ bundle, valueTexts, difference, skipsRendering }: Inputs): JsonObject {
  if (skipsRendering) return {};
  const layers = bundle.values.map((file, i) => readLayer(fillFile(file, valueTexts[i]!, false)));
  return [...layers, ...difference.values].reduce(mergeValues, {});
}

function readLayer(text: string): JsonObject {
  try {
    return readMap(text);
  } catch (error) {
    throw new InputError(inputReasons.renderFailed, errorText(error));
  }
}

/** In the first line of files that deployments leave out. */
function skipMarks({ workflow }: RunSnapshot): string[] {
  const { labelPrefix = 'harness.io' } = workflow.spec;
  return [...new Set([String(labelPrefix), 'harness.io', 'drover.io'])].map(prefix => `${prefix}/skip-file-for-deploy`);
}

function keyOf({ services, service: main }: RunSnapshot, request: RenderRequest, inputs: Inputs): string {
  const { bundle, sources } = services[request.service ?? main]!;
  const { valueTexts, fileTexts, difference, namespace, releaseName, skipsRendering } = inputs;
  const texts = [...fileTexts].map(([{ path }, values]) => [path, values]);
  const covered = [bundle, sources, request.filePaths ?? null, skipsRendering, valueTexts, texts, difference, namespace, releaseName];
  return createHash('sha256').update(printJson(covered)).digest('base64');
}
