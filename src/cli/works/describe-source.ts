import type { Work } from '../../api/work.ts';
import { withoutCredentials } from '../../sources/without-credentials.ts';

/** What a Work delivers and where that comes from, in words. */
export function describeSource({ spec, status }: Work): string {
  const { chart, kustomization, manifests, content } = spec;
  if (chart) {
    // Bytes have no name; what was delivered from them has one.
    const delivered = chart.repository === undefined ? status?.delivered?.chart : undefined;
    const nameless = delivered === undefined ? 'a chart' : `chart ${delivered}`;
    const name = chart.name === undefined ? nameless : `chart ${JSON.stringify(chart.name)}`;
    return [name, chart.version, placeOf(chart)].filter(one => one !== undefined).join(' ');
  }
  if (kustomization) {
    const path = kustomization.path === undefined ? 'a kustomization' : `the kustomization in ${JSON.stringify(kustomization.path)}`;
    return [path, kustomization.version, placeOf(kustomization)].filter(one => one !== undefined).join(' ');
  }
  if (manifests) return manifests.length === 1 ? 'one object' : `${manifests.length} objects`;
  return `the objects of content ${short(content ?? '')}`;
}

function placeOf({ repository, content }: { repository?: string; content?: string }): string | undefined {
  if (repository === 'hub') return "from the hub's chart store";
  if (repository !== undefined) return `from ${withoutCredentials(repository)}`;
  return content === undefined ? undefined : `from content ${short(content)}`;
}

/** As much of a digest as people compare. */
const short = (digest: string): string => digest.slice(0, 'sha256:'.length + 12);
