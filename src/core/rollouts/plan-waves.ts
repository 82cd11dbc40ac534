import { selectorMatches } from '../../api/label-selector.ts';
import type { RolloutSpec, WaveSpec } from '../../api/rollout.ts';
import { compareTexts } from '../../util/compare-texts.ts';
import { countOf } from './rollout-limits.ts';

export interface PlannedCluster {
  readonly name: string;
  /** What else it is called. */
  readonly aliases?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface PlannedWave {
  readonly name: string;
  readonly clusters: string[];
}

export interface WavePlan {
  readonly waves: PlannedWave[];
  /** Clusters that no wave selects and that no wave got. */
  readonly unassigned: string[];
}

/** The wave of those who name none. */
const wholeWave: WaveSpec = { name: 'all', remainder: true };

/** Which cluster belongs to which wave: to the first that selects it. */
export function planWaves(clusters: readonly PlannedCluster[], spec: RolloutSpec): WavePlan {
  const settings = wavesOf(spec);
  let left = [...clusters];
  const waves = settings.map(wave => {
    const ordered = inOrder(left, wave.orderBy ?? spec.orderBy);
    const taken =
      wave.count === undefined ? ordered.filter(one => isSelected(one, wave)) : ordered.slice(0, sizeOf(wave.count, clusters.length));
    const names = new Set(taken.map(({ name }) => name));
    left = left.filter(({ name }) => !names.has(name));
    return { name: wave.name, clusters: taken.map(({ name }) => name) };
  });
  const rest = inOrder(left, settings.at(-1)!.orderBy ?? spec.orderBy).map(({ name }) => name);
  if ((spec.unassigned ?? 'LastWave') !== 'LastWave') return { waves, unassigned: rest };
  waves.at(-1)!.clusters.push(...rest);
  return { waves, unassigned: [] };
}

/** The wave of a cluster that comes when the others are assigned; undefined when none takes it. A number of clusters is not chosen again. */
export function waveOfLatecomer(cluster: PlannedCluster, spec: RolloutSpec): string | undefined {
  const settings = wavesOf(spec);
  const selecting = settings.find(wave => wave.count === undefined && isSelected(cluster, wave));
  if (selecting) return selecting.name;
  return (spec.unassigned ?? 'LastWave') === 'LastWave' ? settings.at(-1)!.name : undefined;
}

const wavesOf = ({ waves = [] }: RolloutSpec): readonly WaveSpec[] => (waves.length > 0 ? waves : [wholeWave]);

const sizeOf = (count: number | string, total: number): number =>
  countOf(count, total, typeof count === 'string' && count.endsWith('%') ? 1 : 0);

function isSelected({ name, aliases = [], labels }: PlannedCluster, { clusterSelector, clusterNames, remainder }: WaveSpec): boolean {
  if (clusterSelector) return selectorMatches(clusterSelector, labels);
  if (clusterNames) return clusterNames.some(wanted => wanted === name || name.endsWith(`/${wanted}`) || aliases.includes(wanted));
  return remainder === true;
}

/** By the numbers of a label, those without one last, and then by name. */
function inOrder(clusters: readonly PlannedCluster[], label: string | undefined): PlannedCluster[] {
  const place = ({ labels }: PlannedCluster) => {
    const number = label === undefined ? NaN : Number.parseInt(labels[label] ?? '', 10);
    return Number.isNaN(number) ? Infinity : number;
  };
  const compare = (a: number, b: number) => (a === b ? 0 : a - b);
  return clusters.toSorted((a, b) => compare(place(a), place(b)) || compareTexts(a.name, b.name));
}
