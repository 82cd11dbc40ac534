import type { KubeObject } from '../../api/object.ts';
import { workReasons, type Work } from '../../api/work.ts';
import { keyOf } from '../../runtime/key.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import { parseManifests, placeObjects } from '../delivery/read-manifests.ts';
import { RenderError } from '../../render/render-pool.ts';
import { wantedContent } from '../sources/wanted-content.ts';
import { printJson } from '../../util/json.ts';
import type { DeliveryDesk } from './delivery-desk.ts';
import { hasPatches, patchDocuments } from './patch-rendered.ts';

/** The objects that a Work without a chart wants on the member. */
export async function renderPlain(
  desk: Pick<DeliveryDesk, 'readContent' | 'renderer'>,
  work: Work,
  member: Pick<Member, 'kinds'>,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const objects = await readPatched(desk, work, signal);
  const { namespace } = work.spec.release;
  return placeObjects(member, objects, { namespace, owner: { work: keyOf(work) }, unknownKinds: 'keep', signal });
}

async function readPatched(desk: Pick<DeliveryDesk, 'readContent' | 'renderer'>, work: Work, signal: AbortSignal): Promise<KubeObject[]> {
  const objects = await readObjects(desk, work, signal);
  if (!hasPatches(work)) return objects;
  // Parsed and printed again, so that a document is one object.
  const documents = objects.map(obj => printJson(obj));
  const patched = await patchDocuments(desk.renderer, work, documents, signal);
  return objects.flatMap((obj, i) => patched[i]!.flatMap(text => (text === documents[i] ? [obj] : parseManifests(text))));
}

async function readObjects(desk: Pick<DeliveryDesk, 'readContent' | 'renderer'>, work: Work, signal: AbortSignal): Promise<KubeObject[]> {
  const { spec } = work;
  if (spec.manifests) return spec.manifests as KubeObject[];
  const wanted = wantedContent(work);
  if (!wanted || wanted === 'waiting') throw new Error('the Work has no content');
  const bytes = await desk.readContent(wanted.digest, signal);
  if (!spec.kustomization) return parseManifests(bytes.toString('utf8'));
  const job = { archive: bytes, digest: wanted.digest, path: spec.kustomization.path ?? '' };
  return parseManifests(await desk.renderer.build(job, signal).catch(buildFailed));
}

function buildFailed(cause: unknown): never {
  if (!(cause instanceof RenderError)) throw cause;
  throw new DeliveryError(workReasons.renderFailed, 'the kustomization cannot be built', { isFinal: cause.isFinal, cause });
}
