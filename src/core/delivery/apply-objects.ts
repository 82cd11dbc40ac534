import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { workReasons, type ApplyManner } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';
import { awaitDefinitions } from './await-definitions.ts';
import { checkOwnership } from './check-ownership.ts';
import { explainRefusal, missingKind, unchangeableFields } from './explain-refusal.ts';
import { findKinds, isDefinition, type FoundKinds } from './find-kinds.ts';
import { withGeneratedName } from './generated-name.ts';
import { installStages } from './install-stages.ts';
import type { Member } from './member.ts';
import { refKey, refOf, refText } from './object-ref.ts';
import { withOwner, type Owner } from './owner.ts';
import { applyAfter, recreateObject } from './recreate-object.ts';
import { isNoSuchKind, retryRefused } from './retry-refused.ts';
import { runAll } from './run-all.ts';
import { unfoldLists } from './unfold-lists.ts';
import { writeObject } from './write-object.ts';
import { withinSpan } from '../../util/trace.ts';

export type { Owner } from './owner.ts';

export interface ApplyOptions {
  /** How objects are written. Default: by the server, as `deliveryManager`, and fields of others are taken over. */
  readonly manner?: ApplyManner | undefined;
  readonly owner: Owner;
  /** Whether to delete and create anew what cannot be changed. */
  readonly force?: boolean;
  /** Whether to take over objects that belong to others, or to nobody. */
  readonly takeOwnership?: boolean;
  readonly dryRun?: boolean;
  /** Of a dry run: hears what the member refuses, instead of the first refusal being thrown. */
  onRefused?(refusal: DeliveryError): void;
  /** Of a dry run: namespaces that will be there when it is done in earnest. All when absent. */
  readonly comingNamespaces?: ReadonlySet<string>;
  /** Default ByKind: one kind after the other, in the order of Helm. AsGiven: one object after the other. */
  readonly order?: 'ByKind' | 'AsGiven';
  /** How many objects of a kind at a time. Default 16. */
  readonly concurrency?: number;
  /** Keys (refKey) of objects that are the owner's already: nobody needs to ask whose they are. */
  readonly known?: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** Hears every object as the member answered it. */
  onApplied?(obj: KubeObject): void;
}

const defaultConcurrency = 16;

/**
 * Puts objects on a member, one kind after the other in the order of Helm unless another is asked for, and answers them as
 * they are there, in the order given. Throws a DeliveryError; what was applied until then stays.
 */
export async function applyObjects(member: Member, objects: readonly KubeObject[], options: ApplyOptions): Promise<KubeObject[]> {
  const { owner, signal, concurrency = defaultConcurrency, takeOwnership = false, known = new Set() } = options;
  signal.throwIfAborted();
  const wanted = unfoldLists(objects).map(obj => withOwner(withGeneratedName(withoutServerFields(obj), owner), owner));
  const kinds = await findKinds(member, wanted, signal);
  for (const obj of wanted) checkNamespace(obj, kinds);
  if (!takeOwnership) await checkOwnership(member, wanted, { kinds, owner, known, signal, concurrency });

  // Of several with the same name the last one counts, whichever would have been quicker.
  const last = new Map(wanted.map(obj => [refKey(refOf(obj)), obj]));
  const applied = new Map<string, KubeObject>();
  // A kind that is defined here comes after all definitions, whatever it is called.
  const stageOf = (obj: KubeObject) => (kinds.isDefinedHere(obj) ? `${obj.kind}.${obj.apiVersion}` : obj.kind);
  const unique = [...last.values()];
  for (const stage of options.order === 'AsGiven' ? unique.map(obj => [obj]) : installStages(unique, stageOf)) {
    await runAll(stage, concurrency, async obj => {
      const about = { cluster: member.name, object: refText(refOf(obj)), 'dry-run': options.dryRun ?? false };
      const answer = await withinSpan('apply to member', about, () => applyObject(member, obj, kinds, options));
      applied.set(refKey(refOf(obj)), answer);
      options.onApplied?.(answer);
    });
    const definitions = stage.filter(isDefinition);
    if (definitions.length === 0 || options.dryRun) continue;
    await awaitDefinitions(
      member,
      definitions.map(obj => applied.get(refKey(refOf(obj)))!),
      signal,
    );
  }
  return wanted.map(obj => applied.get(refKey(refOf(obj)))!);
}

async function applyObject(member: Member, obj: KubeObject, kinds: FoundKinds, options: ApplyOptions): Promise<KubeObject> {
  const { manner, dryRun = false, force = false, signal } = options;
  const ref = refOf(obj);
  const kind = kinds.of(obj);
  if (!kind) throw missingKind('apply', ref);
  const apply = () => writeObject(member.client, kind, obj, { manner, dryRun, signal });
  try {
    const answer = await retryRefused(apply, { signal, mayBeMissing: kinds.isDefinedHere(obj) && !dryRun });
    const isGoing = answer.metadata.deletionTimestamp !== undefined && !dryRun;
    return isGoing ? await applyAfter(member, kind, answer, { apply, signal }) : answer;
  } catch (error) {
    signal.throwIfAborted();
    if (dryRun && isMissingYet(obj, kinds, error, options.comingNamespaces)) return obj;
    const mayRecreate = force && unchangeableFields(error) !== undefined;
    if (mayRecreate && !dryRun) return recreateObject(member, kind, obj, { apply, signal });
    const refusal = explainRefusal('apply', ref, error);
    if (!dryRun || !options.onRefused || refusal.reason === workReasons.clusterUnreachable) throw refusal;
    if (!mayRecreate) options.onRefused(refusal);
    return obj;
  }
}

function checkNamespace(obj: KubeObject, kinds: FoundKinds): void {
  if (kinds.of(obj)?.scope !== 'Namespaced' || (obj.metadata.namespace ?? '') !== '') return;
  const object = refOf(obj);
  throw new DeliveryError(workReasons.renderFailed, `cannot apply ${refText(object)}: its namespace is missing`, { object, isFinal: true });
}

/** A dry run creates neither the definition nor the namespace nor the account that come before the object. */
function isMissingYet(obj: KubeObject, kinds: FoundKinds, error: unknown, coming: ReadonlySet<string> | undefined): boolean {
  if (isNoSuchKind(error)) return kinds.isDefinedHere(obj);
  if (!(error instanceof StatusError)) return false;
  if (error.code === 403) return /serviceaccount "[^"]+" not found/.test(error.message);
  return error.code === 404 && error.details?.kind === 'namespaces' && coming?.has(obj.metadata.namespace ?? '') !== false;
}

/** What exported manifests carry and only the server may write. */
const serverFields = new Set(['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink']);

function withoutServerFields(obj: KubeObject): KubeObject {
  const fields = Object.entries(obj.metadata);
  if (!fields.some(([name]) => serverFields.has(name))) return obj;
  return { ...obj, metadata: Object.fromEntries(fields.filter(([name]) => !serverFields.has(name))) };
}
