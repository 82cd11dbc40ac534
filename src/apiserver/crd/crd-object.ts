import type { ApiextensionsV1WebhookClientConfig as WebhookClientConfig } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import type { PrinterColumn } from '../table/custom-printer.ts';
import type { ScalePaths } from './scale.ts';
import type { SchemaProps } from './schema-props.ts';

/** A CustomResourceDefinition after defaults, as code reads it. */
export interface CrdSpec {
  group: string;
  scope: string;
  names: CrdNames;
  versions: CrdVersion[];
  preserveUnknownFields?: boolean;
  conversion?: { strategy: string; webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] } };
}

export interface CrdNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: SchemaProps };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface CrdStatus {
  conditions?: CrdCondition[] | null;
  acceptedNames?: Partial<CrdNames>;
  storedVersions?: string[] | null;
  observedGeneration?: number;
}

export interface CrdCondition {
  type: string;
  status: string;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

export const crdResource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' } as const;

export const crdSpec = (crd: KubeObject): CrdSpec => crd['spec'] as unknown as CrdSpec;
export const crdStatus = (crd: KubeObject): CrdStatus => (crd['status'] ?? {}) as CrdStatus;

export function findCondition(crd: KubeObject, type: string): CrdCondition | undefined {
  return crdStatus(crd).conditions?.find(condition => condition.type === type);
}

export const isConditionTrue = (crd: KubeObject, type: string): boolean => findCondition(crd, type)?.status === 'True';
