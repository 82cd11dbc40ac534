import type { KubeObject } from '../../../api/object.ts';
import { refKey, refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { ReleaseRecord } from './book.ts';
import { canarySuffix } from './canary.ts';
import { composeWork, keyOf, keysOf, nextWork } from './compose-work.ts';
import { openRecordOf, withRecord } from './release-numbers.ts';
import { knownObjects, withStatus } from './release-record.ts';
import { filePathsOf } from './file-paths.ts';
import { parseRefs } from './parse-refs.ts';
import { configsOf, recordRef } from './retention.ts';
import { inDeletionOrder } from './sort-objects.ts';
import { refLine, unitLog } from './step-log.ts';
import type { NextWork, StepBegin, StepInput } from './step.ts';
import { originalName } from './version-config.ts';

const noCanary = 'No canary workloads to be deleted. Skipping.';
const unresolved = '${k8s.canaryWorkload}';

export function beginDelete(input: StepInput): StepBegin {
  const log = unitLog('Delete');
  if (input.settings.isRollback && input.with['keepFailedCanary'] === true) {
    return { outcome: 'done', lines: log.info(noCanary).done().lines, status: {}, outputs: {} };
  }
  const found = whatToDelete(input);
  if (typeof found === 'string') return { outcome: 'failed', message: found, lines: log.error(found).failed().lines };
  if (found.length === 0) return { outcome: 'done', message: noCanary, lines: log.info(noCanary).done().lines, status: {}, outputs: {} };

  const { book, present } = input;
  const refs = inDeletionOrder(found);
  const doomed = new Set(refs.map(refKey));
  const kept = stillUsed(present, doomed);
  const going = refs.filter(ref => !kept.has(refKey(ref)));
  const gone = new Set(going.map(refKey));
  log.info(`Resources to delete are: \n${going.map(ref => `- ${refLine(ref)}`).join('\n')}`);
  for (const ref of refs.filter(one => kept.has(refKey(one)))) log.warn(`${refLine(ref)} is still used and stays`);
  const records = ended(input).filter(({ number }) => !gone.has(refKey(recordRef(input.release, number))));
  return {
    outcome: 'deliver',
    ...nextWork(
      composeWork(
        present.filter(obj => !gone.has(keyOf(obj))),
        records,
      ),
      { remove: going, lines: log.lines },
    ),
    await: [],
  };

  /** A release that is undone before it was finished has failed. */
  function ended(of: StepInput): readonly ReleaseRecord[] {
    const open = of.settings.isRollback ? openRecordOf(of) : undefined;
    return open ? withRecord(book.records, withStatus(open, 'Failed')) : book.records;
  }
}

/** A message when it cannot be told. */
function whatToDelete(input: StepInput): readonly ObjectRef[] | string {
  const { rendered, with: given } = input;
  const wanted = typeof given['resources'] === 'string' ? given['resources'].trim() : '';
  const hasFiles = filePathsOf(given).length > 0;
  const files = hasFiles ? rendered.map(refOf) : [];
  if (wanted === '*') return everything(input);
  if (wanted === '' && hasFiles) return files;
  if (wanted === '' || wanted === unresolved) return [...lastCanary(input), ...files];
  const parsed = parseRefs(wanted, input);
  return typeof parsed === 'string' ? parsed : [...parsed, ...files];
}

/** All that releases brought, and the records of it. */
function everything({ book, release, with: given }: StepInput): ObjectRef[] {
  const objects = book.records.flatMap(knownObjects).filter(({ kind }) => kind !== 'Namespace' || given['deleteNamespaces'] === true);
  const records = book.records.filter(({ secret }) => secret !== undefined).map(({ number }) => recordRef(release, number));
  return [...new Map([...objects.map(refOf), ...records].map(ref => [refKey(ref), ref])).values()];
}

/** Of a run that has said nothing of its canary. */
function lastCanary({ book }: StepInput): ObjectRef[] {
  const latest = book.records.findLast(({ status }) => status !== 'Succeeded');
  const objects = latest ? knownObjects(latest) : [];
  const canaries = objects.filter(({ metadata }) => metadata.name?.endsWith(canarySuffix));
  const used = new Set(canaries.flatMap(configsOf));
  return [...canaries, ...objects.filter(obj => originalName(obj) !== undefined && used.has(keyOf(obj)))].map(refOf);
}

/** Versions of ConfigMaps and Secrets that a workload needs that stays. */
function stillUsed(present: readonly KubeObject[], doomed: ReadonlySet<string>): ReadonlySet<string> {
  const staying = present.filter(obj => !doomed.has(keyOf(obj)));
  const used = new Set(staying.flatMap(configsOf));
  return keysOf(present.filter(obj => originalName(obj) !== undefined && used.has(keyOf(obj))));
}

export function endDelete({ present, book }: StepInput, result: 'steady' | 'failed'): NextWork {
  const log = unitLog('Delete');
  return nextWork(composeWork(present, book.records), { lines: (result === 'steady' ? log.done() : log.failed()).lines });
}
