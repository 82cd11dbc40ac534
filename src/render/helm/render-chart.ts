import { definitionsOf, type Chart } from '../chart/chart.ts';
import { checkDependencies } from '../chart/check-dependencies.ts';
import { coalesceValues } from '../chart/coalesce.ts';
import { forRelease } from '../chart/dependencies.ts';
import { validateValues } from '../schema/validate-chart.ts';
import { checkConstraint } from '../semver/semver.ts';
import { int, type GoMap, type GoValue } from '../go/go-value.ts';
import type { Rendering } from '../go/rendering.ts';
import type { Limits } from '../template/execution.ts';
import { capabilitiesValue, defaultCapabilities, parseKubeVersion, type Capabilities } from './capabilities.ts';
import { renderTemplates, type Lookup } from './engine.ts';
import { sortManifests, type Hook, type Manifest } from './manifests.ts';

export interface RenderOptions {
  readonly release: { readonly name: string; readonly namespace: string; readonly revision?: number; readonly isUpgrade?: boolean };
  readonly capabilities?: Capabilities;
  readonly lookup?: Lookup;
  readonly limits?: Partial<Limits>;
  readonly skipsSchema?: boolean;
  /** Told what the rendering did beside its answer. */
  readonly rendering?: Rendering;
}

export interface RenderedChart {
  /** Objects in the order of installation. */
  readonly manifests: readonly Manifest[];
  readonly hooks: readonly Hook[];
  readonly definitions: readonly { readonly path: string; readonly data: Buffer }[];
  readonly notes: string;
}

/** Enough for the largest charts there are; what needs more would not end by itself. */
const defaultLimits = { steps: 20_000_000, output: 64 * 1024 * 1024, timeMs: 30_000 };

/** A chart with the values it will be rendered with. */
export interface PreparedChart {
  readonly chart: Chart;
  readonly top: GoMap;
}

/** Renders a chart for one release, byte for byte as Helm does. Throws with Helm's words. */
export function renderChart(loaded: Chart, given: GoMap, options: RenderOptions): RenderedChart {
  return renderPrepared(prepareChart(loaded, given, options), options);
}

/** Chooses subcharts, puts values together and checks them, before anything is rendered. */
export function prepareChart(loaded: Chart, given: GoMap, options: RenderOptions): PreparedChart {
  checkDependencies(loaded);
  const chart = forRelease(loaded, given);
  const { name, namespace, revision = 1, isUpgrade = false } = options.release;
  const values = coalesceValues(chart, given);
  if (!options.skipsSchema) validateValues(chart, values);
  const top: GoMap = new Map<string, GoValue>([
    ['Values', values],
    ['Capabilities', capabilitiesValue(options.capabilities ?? defaultCapabilities)],
    [
      'Release',
      new Map<string, GoValue>([
        ['Name', name],
        ['Namespace', namespace],
        ['IsUpgrade', isUpgrade],
        ['IsInstall', !isUpgrade],
        ['Revision', int(revision)],
        ['Service', 'Helm'],
      ]),
    ],
  ]);
  return { chart, top };
}

export function renderPrepared({ chart, top }: PreparedChart, options: RenderOptions): RenderedChart {
  checkKubeVersion(chart, (options.capabilities ?? defaultCapabilities).kubeVersion);
  const limits: Limits = {
    steps: options.limits?.steps ?? defaultLimits.steps,
    output: options.limits?.output ?? defaultLimits.output,
    deadline: options.limits?.deadline ?? performance.now() + defaultLimits.timeMs,
  };
  const { lookup, rendering } = options;
  const files = renderTemplates(chart, top, { limits, ...(lookup && { lookup }), ...(rendering && { rendering }) });
  const notes = files.get(`${chart.metadata.name}/templates/NOTES.txt`) ?? '';
  for (const path of files.keys()) if (path.endsWith('NOTES.txt')) files.delete(path);
  try {
    return { ...sortManifests(files), definitions: definitionsOf(chart), notes };
  } catch (error) {
    throw new UnsortedError(files, error as Error);
  }
}

/** What came out of the templates is not all YAML. */
export class UnsortedError extends Error {
  readonly files: ReadonlyMap<string, string>;

  constructor(files: ReadonlyMap<string, string>, cause: Error) {
    super(cause.message);
    this.files = files;
  }
}

function checkKubeVersion({ metadata: { kubeVersion } }: Chart, served: string): void {
  if (kubeVersion === '') return;
  let fits = false;
  try {
    fits = checkConstraint(kubeVersion, parseKubeVersion(served).normal);
  } catch {
    // A constraint that cannot be read fits nothing.
  }
  if (!fits) throw new Error(`chart requires kubeVersion: ${kubeVersion} which is incompatible with Kubernetes ${served}`);
}

/** Manifests as one text, each with its source. */
export function manifestText(manifests: readonly Manifest[]): string {
  let text = '';
  for (const { path, content } of manifests) text += `---\n# Source: ${path}\n${content}\n`;
  return text;
}

/** Everything that came out of the templates, as it came. */
export function printUnsorted(files: ReadonlyMap<string, string>): string {
  let text = '';
  for (const [name, content] of files) if (content.trim() !== '') text += `---\n# Source: ${name}\n${content}\n`;
  return `${text.trim()}\n`;
}

/** What `helm template` prints: everything with its source, hooks last. */
export function printRendered(
  { manifests, hooks, definitions }: RenderedChart,
  options: { definitions?: boolean; hooks?: boolean } = {},
): string {
  let text = '';
  if (options.definitions) for (const { path, data } of definitions) text += `---\n# Source: ${path}\n${data.toString()}\n`;
  text += manifestText(manifests);
  let out = `${text.trim()}\n`;
  if (options.hooks !== false) for (const { path, content } of hooks) out += `---\n# Source: ${path}\n${content}\n`;
  return out;
}
