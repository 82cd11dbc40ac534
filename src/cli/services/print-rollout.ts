import type { ClusterEntry, RolloutState } from '../../api/rollout.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';

/** The waves with their clusters, as a table: those that need somebody first. */
export function printRollout(state: RolloutState): string {
  const table = new TabWriter();
  table.line('WAVE\tPHASE\tCLUSTER\tSTATE\tWHY');
  for (const wave of state.waves) {
    const [first, ...others] = shown(wave.clusters);
    table.line(cells(wave.name, wave.phase, first));
    for (const entry of others) table.line(cells('', '', entry));
  }
  return table.flush().replace(/ +$/gm, '');
}

const maxShown = 10;
const rank = ({ state }: ClusterEntry): number =>
  /Failed|TimedOut/.test(state) ? 0 : /Running|RollingBack|Soaking/.test(state) ? 1 : state === 'Deferred' ? 2 : 3;

function shown(clusters: readonly ClusterEntry[]): (ClusterEntry | { name: string })[] {
  const ordered = clusters.length > maxShown ? clusters.toSorted((a, b) => rank(a) - rank(b)) : clusters;
  const more = clusters.length - maxShown;
  return [...ordered.slice(0, maxShown), ...(more > 0 ? [{ name: `and ${more} more` }] : [])];
}

function cells(wave: string, phase: string, entry: ClusterEntry | { name: string } | undefined): string {
  const { name = '', state = '', message, reason } = (entry ?? {}) as Partial<ClusterEntry>;
  return [wave, phase, name, state, message ?? reason ?? ''].map(text => visibleLine(text)).join('\t');
}
