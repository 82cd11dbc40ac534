import type { DeliveredObject, DriftedField, PlannedField } from '../../api/work.ts';
import { ageOf } from '../../apiserver/table/human-duration.ts';
import { refText, type ObjectRef } from '../../core/delivery/object-ref.ts';
import { printJson } from '../../util/json.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine, visibleText } from '../output/visible-text.ts';
import { wrapText } from '../output/wrap-text.ts';
import { standingText } from './claims-on.ts';
import type { WorkExplanation } from './explain-work.ts';

/** Healthy objects beyond these are only counted. */
const maxHealthyShown = 20;
const maxValueLength = 60;

/** An explanation for people, in lines of at most 80 columns where names allow. */
export function printExplanation(explanation: WorkExplanation, now: Date): string {
  const { summary, waitsFor, delivered } = explanation;
  const parts = [
    wrapText(visibleLine(headline(explanation))),
    summary.map(sentence => wrapText(visibleLine(sentence))).join(''),
    waitsFor.length === 0 ? '' : `It waits for:\n${waitsFor.map(one => item(one)).join('')}`,
    facts(explanation, now),
    objectsPart(explanation),
    driftPart(explanation),
    planPart(explanation),
    claimsPart(explanation, now),
    delivered?.notes === undefined || delivered.notes.trim() === '' ? '' : `Notes of the chart:\n${indented(delivered.notes.trimEnd())}`,
  ];
  return parts.filter(part => part !== '').join('\n');
}

function headline({ work, cluster, namespace, source, release }: WorkExplanation): string {
  const place = cluster === null ? `a cluster with id ${JSON.stringify(namespace)}` : `cluster ${JSON.stringify(cluster)}`;
  return `Work ${JSON.stringify(work)} delivers ${source} to ${place}, as release ${JSON.stringify(release.name)} in namespace ${JSON.stringify(release.namespace)}.`;
}

function facts({ delivered, priority, sync, isSuspended, namespace }: WorkExplanation, now: Date): string {
  const table = new TabWriter();
  const row = (name: string, value: string) => table.line(`  ${name}\t${visibleLine(value)}`);
  if (delivered) {
    const { chart, appVersion, revision, state, at } = delivered;
    if (chart !== undefined) row('Chart', appVersion === undefined ? chart : `${chart}, app version ${appVersion}`);
    row('Delivery', `${state}${revision === undefined ? '' : `, revision ${revision}`}, begun ${ageOf(at, now)} ago`);
  } else row('Delivery', '<none>');
  row('Priority', String(priority));
  row('Sync', isSuspended ? `${sync}, suspended` : sync);
  row('Namespace', namespace);
  return table.flush();
}

function objectsPart({ objects, healthy }: WorkExplanation): string {
  if (objects.length === 0) return '';
  const isPlain = ({ health, outrankedBy }: DeliveredObject) => health === 'Current' && outrankedBy === undefined;
  const odd = objects.filter(one => !isPlain(one));
  const plain = objects.filter(isPlain);
  const hidden = plain.length - maxHealthyShown;
  const lines = [...odd, ...plain.slice(0, maxHealthyShown)].map(objectLines).join('');
  const title = healthy === null ? 'Objects' : `Objects, ${healthy.replace('/', ' of ')} healthy`;
  return `${title}:\n${lines}${hidden > 0 ? `  and ${hidden} more that are Current\n` : ''}`;
}

function objectLines(object: DeliveredObject): string {
  const { health, message, outrankedBy } = object;
  const line = `  ${health.padEnd(11)}  ${nameOf(object)}\n`;
  const said = [
    message,
    outrankedBy === undefined ? undefined : `delivered by work ${JSON.stringify(outrankedBy)} instead, which outranks this one`,
  ];
  return line + said.flatMap(one => (one === undefined ? [] : [wrapText(visibleLine(one), { indent: ' '.repeat(15) })])).join('');
}

function driftPart({ drift, sync }: WorkExplanation): string {
  if (drift.length === 0) return '';
  const what = drift.length === 1 ? 'one field is not as delivered' : `${drift.length} fields are not as delivered`;
  const then = sync === 'CorrectDrift' ? ', and is changed back' : '';
  return `Drift, ${what}${drift.length === 1 ? then : then.replace('is', 'are')}:\n${drift.map(driftLines).join('')}`;
}

function driftLines(field: DriftedField): string {
  const { path, manager, want, have } = field;
  const by = manager === undefined ? '' : `, by manager ${JSON.stringify(manager)}`;
  if (path === '') return `  ${nameOf(field)}\n${item(`the object is gone${by}`, 4)}`;
  const now = have === undefined ? 'it is gone' : `it is ${valueText(have)}`;
  const then = want === undefined ? 'nothing was delivered' : `delivered was ${valueText(want)}`;
  return `  ${nameOf(field)} ${visibleLine(path)}\n${item(`${then}, ${now}${by}`, 4)}`;
}

function valueText(value: unknown): string {
  const text = printJson(value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength - 1)}…` : text;
}

function planPart({ plan }: WorkExplanation): string {
  if (plan.length === 0) return '';
  const lines = plan.map(object => `  ${object.action.padEnd(6)}  ${nameOf(object)}\n${(object.fields ?? []).map(fieldLine).join('')}`);
  return `A delivery would:\n${lines.join('')}`;
}

function fieldLine({ path, have, want }: PlannedField): string {
  const text = (value: unknown) => (value === undefined ? 'nothing' : valueText(value));
  return item(`${visibleLine(path)}: ${text(have)} becomes ${text(want)}`, 10);
}

function claimsPart({ claims, release, ifTheWinnerLeft }: WorkExplanation, now: Date): string {
  if (claims.length === 0) return wrapText(visibleLine(ifTheWinnerLeft));
  const table = new TabWriter();
  for (const claim of claims) {
    const { work, priority, since } = claim;
    table.line(`  ${visibleLine(work)}\tpriority ${priority}\tsince ${ageOf(since, now)}\t${standingText(claim)}`);
  }
  return `Claims on release ${JSON.stringify(`${release.namespace}/${release.name}`)}, the highest first:\n${table.flush()}${wrapText(visibleLine(ifTheWinnerLeft))}`;
}

const nameOf = (ref: ObjectRef): string => visibleLine(refText(ref));

const item = (text: string, indent = 2): string => wrapText(visibleLine(text), { indent: ' '.repeat(indent) });

const indented = (text: string): string =>
  visibleText(text)
    .split('\n')
    .map(line => (line === '' ? '\n' : `  ${line}\n`))
    .join('');
