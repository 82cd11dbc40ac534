import { workAnnotations, type Work } from '../../api/work.ts';
import { digestOf } from '../../sources/digest.ts';

/** Where the bytes of a Work come from. */
export interface WorkSource {
  readonly form: 'chart' | 'kustomization';
  readonly repository: string;
  /** Of the chart. */
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly secretName: string | undefined;
}

/** Undefined when nothing has to be fetched for the Work. */
export function sourceOf({ spec: { chart, kustomization } }: Work): WorkSource | undefined {
  const form = chart ? 'chart' : 'kustomization';
  const { repository, version, secretName } = chart ?? kustomization ?? {};
  return repository === undefined ? undefined : { form, repository, name: chart?.name, version, secretName };
}

/** The same for all Works that mean the same bytes. Who may fetch them is not part of it. */
export const sourceDigest = ({ form, repository, name = '', version = '' }: WorkSource): string =>
  digestOf(JSON.stringify([form, repository, name, version]));

/**
 * The Content that a Work is to be delivered from: its digest; `waiting` while the hub has yet to fetch it; undefined for Works that need none. A Work
 * whose source was changed waits, though the old content is still named. Whoever names repository and content, without the annotation, means the content.
 */
export function wantedContent(work: Work): { readonly digest: string } | 'waiting' | undefined {
  const { chart, kustomization, content: manifests } = work.spec;
  const digest = chart?.content ?? kustomization?.content ?? manifests;
  const source = sourceOf(work);
  const fetched = work.metadata.annotations?.[workAnnotations.contentOf];
  const isOld = source !== undefined && fetched !== undefined && fetched !== sourceDigest(source);
  if (digest !== undefined && !isOld) return { digest };
  return source ? 'waiting' : undefined;
}
