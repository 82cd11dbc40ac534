import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import type { Resource } from '../resource.ts';
import { column, nameColumn, nameOf, type Cell, type Column, type Printer, type RowCondition } from './cell.ts';
import { corePrinters } from './core-printers.ts';
import { customPrinter, type PrinterColumn } from './custom-printer.ts';
import { networkPrinters } from './network-printers.ts';
import { policyPrinters } from './policy-printers.ts';
import { storagePrinters } from './storage-printers.ts';
import { workloadPrinters } from './workload-printers.ts';

export { ageOf } from './human-duration.ts';
export type { PrinterColumn } from './custom-printer.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface Table {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  /** Null in all but the first event of a watch. */
  columnDefinitions: readonly Column[] | null;
  rows: TableRow[];
}

export interface TableRow {
  cells: Cell[];
  conditions?: readonly RowCondition[];
  object: KubeObject | PartialObjectMetadata | null;
}

export interface PartialObjectMetadata {
  kind: 'PartialObjectMetadata';
  apiVersion: 'meta.k8s.io/v1';
  metadata: ObjectMeta;
}

export interface TableOptions {
  includeObject: IncludeObject;
  listMeta: Table['metadata'];
  now: Date;
  /** For custom resources; without them those of the resource are used. */
  columns?: readonly PrinterColumn[];
  /** Leaves the column definitions out, for all but the first event of a watch. */
  noHeaders?: boolean;
}

const printers = new Map<string, Printer>(
  [corePrinters, workloadPrinters, networkPrinters, storagePrinters, policyPrinters].flatMap(group => Object.entries(group)),
);

/** What the server shows of kinds nobody wrote a printer for. */
const plainPrinter: Printer = {
  columns: [nameColumn, column('Created At', '', { type: 'date' })],
  cells: obj => [nameOf(obj), createdAt(obj.metadata.creationTimestamp)],
};

function createdAt(timestamp: string | undefined): string {
  return timestamp === undefined ? '0001-01-01T00:00:00Z' : `${new Date(timestamp).toISOString().slice(0, 19)}Z`;
}

/** The objects of one resource as a Table of meta.k8s.io/v1. */
export function tableOf(resource: Resource, objects: readonly KubeObject[], options: TableOptions): Table {
  const { includeObject, listMeta, now, columns, noHeaders = false } = options;
  const printer = printerOf(resource, columns);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMeta,
    columnDefinitions: noHeaders ? null : printer.columns,
    rows: inOrder(resource, objects).map(obj => {
      const conditions = printer.conditions?.(obj);
      return { cells: printer.cells(obj, now), ...(conditions && { conditions }), object: included(obj, includeObject) };
    }),
  };
}

function printerOf(resource: Resource, columns: readonly PrinterColumn[] | undefined): Printer {
  const own = columns ?? (resource as { printerColumns?: readonly PrinterColumn[] }).printerColumns;
  if (resource.isCustom) return customPrinter(own ?? none);
  return printers.get(resource.group === '' ? resource.kind : `${resource.group}/${resource.kind}`) ?? plainPrinter;
}

const none: readonly PrinterColumn[] = [];

// Flow schemas are shown in the order in which they are matched.
function inOrder(resource: Resource, objects: readonly KubeObject[]): readonly KubeObject[] {
  if (resource.kind !== 'FlowSchema' || resource.isCustom) return objects;
  const precedence = (obj: KubeObject) => (obj['spec'] as { matchingPrecedence?: number } | undefined)?.matchingPrecedence ?? 0;
  return objects.toSorted((a, b) => precedence(a) - precedence(b) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

function included(obj: KubeObject, includeObject: IncludeObject): TableRow['object'] {
  // The end of a streamed list is known by its annotation, which must not be left out.
  if (includeObject === 'None' && obj.metadata.annotations?.['k8s.io/initial-events-end'] === undefined) return null;
  return includeObject === 'Object' ? obj : partialObjectMetadata(obj);
}

/** Annotations that are fields inside the real server: its metadata does not have them, only objects written out in full do. */
const fieldsAsAnnotations: Readonly<Record<string, readonly string[]>> = {
  DaemonSet: ['deprecated.daemonset.template.generation'],
  Deployment: ['deprecated.deployment.rollback.to'],
  HorizontalPodAutoscaler: ['conditions', 'metrics', 'current-metrics', 'behavior'].map(n => `autoscaling.alpha.kubernetes.io/${n}`),
};

/** Only the metadata of an object. */
export function partialObjectMetadata(obj: KubeObject): PartialObjectMetadata {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: ownMetadata(obj) };
}

function ownMetadata({ kind, apiVersion, metadata }: KubeObject): KubeObject['metadata'] {
  const hidden = fieldsAsAnnotations[kind];
  if (!hidden || !/^(apps|autoscaling)\//.test(apiVersion) || !metadata.annotations) return metadata;
  const shown = Object.entries(metadata.annotations).filter(([name]) => !hidden.includes(name));
  const { annotations: _annotations, ...rest } = metadata;
  return shown.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(shown) };
}
