import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { sourceDigest, sourceOf } from '../../core/sources/wanted-content.ts';
import type { Json } from '../../util/json.ts';
import { usageError } from '../exit-codes.ts';
import type { GivenObject } from '../resources/given-objects.ts';

export interface ChangedWork {
  readonly name: string;
  readonly namespace: string;
  /** As it is on the hub now; undefined when the Work is new. */
  readonly present: Work | undefined;
}

/** The Work of a file as the hub would store it, with its defaults and refused where it is wrong. Nothing is stored. */
export async function changedWork(
  hub: KubeClient,
  { from, object }: GivenObject,
  { name, namespace, present }: ChangedWork,
  signal: AbortSignal,
): Promise<Work> {
  const given = object as Work;
  const { namespace: ownNamespace = namespace } = given.metadata;
  if (ownNamespace !== namespace)
    throw usageError(`the Work in ${from} lies in namespace "${ownNamespace}", not in "${namespace}"`, 'name its cluster with -C');
  const options = { dryRun: true, fieldManager: 'drover-diff', signal };
  if (!present) return hub.create(Work, { ...given, metadata: { ...given.metadata, namespace } }, options);
  // Only the spec is delivered. A patch, because the status of the Work may change at any moment.
  const spec = { op: 'replace', path: '/spec', value: withContent(given, present) as unknown as Json };
  return hub.patch(Work, { namespace, name }, { type: 'json', body: [spec] }, options);
}

/** What the hub has fetched for a source is still the content of the same source. */
function withContent(given: Work, present: Work): Work['spec'] {
  const { spec } = given;
  const [wanted, known] = [sourceOf(given), sourceOf(present)];
  if (!wanted || !known || sourceDigest(wanted) !== sourceDigest(known)) return spec;
  const content = present.spec.chart?.content ?? present.spec.kustomization?.content;
  if (content === undefined) return spec;
  if (spec.chart) return { ...spec, chart: { content, ...spec.chart } };
  return spec.kustomization ? { ...spec, kustomization: { content, ...spec.kustomization } } : spec;
}
