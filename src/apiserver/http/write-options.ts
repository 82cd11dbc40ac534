import { forbidden, invalid, notSupported, required, type FieldError } from '../../api/field-error.ts';
import { badRequest, invalidObject } from '../../api/status.ts';
import type { KubeObject } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { validateFieldManager } from '../validation/object-meta.ts';
import type { FieldValidation, RequestContext, WriteRequest } from '../request.ts';
import { structOfKind } from '../facts/facts.ts';
import { GoJsonError } from '../schema/go-json-error.ts';
import { shapeObject } from '../schema/shape.ts';
import { checkDocument } from '../verbs/decode-object.ts';
import type { DeletePolicy } from '../verbs/delete-rules.ts';
import { isTrue } from '../watch/watch-options.ts';

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

/** Reads the options of a write from its query. Throws 422 for values the real server refuses. */
export function parseWriteOptions(kind: OptionsKind, query: URLSearchParams, ctx: RequestContext, isApply = false): WriteRequest {
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const force = query.get('force');
  const errors: FieldError[] = [];
  if (kind === 'PatchOptions') {
    if (isApply && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
    if (!isApply && force !== null) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...validateFieldManager(fieldManager, 'fieldManager'), ...dryRunErrors(query.getAll('dryRun')));
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    ...ctx,
    warn: text => ctx.warn(text),
    auditAnnotation: (key, value) => ctx.auditAnnotation(key, value),
    dryRun: query.has('dryRun'),
    fieldManager,
    fieldValidation: (fieldValidation === '' ? 'Warn' : fieldValidation) as FieldValidation,
    force: isTrue(force),
  };
}

function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.filter(value => value !== 'All').length === 0 ? [] : [notSupported('dryRun', values, ['All'])];
}

export const deleteOptionsType = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };

/** DeleteOptions may come under any version; what is left out of them is told apart from what is empty. */
export function decodeDeleteOptions(value: Json): JsonObject {
  const body = checkDocument(value) ?? {};
  const kind = (body.kind as string | undefined) || deleteOptionsType.kind;
  if (kind === 'CreateOptions' || kind === 'UpdateOptions') throw badRequest('decoded object cannot be converted to DeleteOptions');
  if (kind !== deleteOptionsType.kind) {
    const version = JSON.stringify((body.apiVersion as string | undefined) || 'v1');
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`);
  }
  try {
    return shapeObject(structOfKind({ group: '', version: 'v1', kind })!, body, []);
  } catch (error) {
    if (error instanceof GoJsonError) throw badRequest(error.message);
    throw error;
  }
}

export interface ParsedDelete {
  readonly policy: DeletePolicy;
  readonly request: WriteRequest;
  /** As webhooks see them. */
  readonly options: KubeObject;
}

/** DeleteOptions come in the body or in the query; a body wins as a whole. */
export function parseDeleteOptions(body: JsonObject | undefined, query: URLSearchParams, ctx: RequestContext): ParsedDelete {
  const given = body ?? optionsFromQuery(query);
  const errors: FieldError[] = [];
  const policy = given.propagationPolicy ?? undefined;
  const { orphanDependents, gracePeriodSeconds, preconditions } = given;
  const known = ['Foreground', 'Background', 'Orphan'];
  if (policy !== undefined && orphanDependents !== undefined && orphanDependents !== null) {
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (policy !== undefined && (typeof policy !== 'string' || !known.includes(policy))) {
    errors.push(notSupported('propagationPolicy', policy, [...known, 'nil']));
  }
  const dryRun = Array.isArray(given.dryRun) ? given.dryRun.map(String) : [];
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return {
    policy: {
      ...(policy !== undefined && { propagationPolicy: policy as 'Orphan' | 'Background' | 'Foreground' }),
      ...(typeof orphanDependents === 'boolean' && { orphanDependents }),
      ...(typeof gracePeriodSeconds === 'number' && { gracePeriodSeconds }),
      ...(isJsonObject(preconditions) && { preconditions: preconditions as { uid?: string; resourceVersion?: string } }),
    },
    request: {
      ...ctx,
      warn: text => ctx.warn(text),
      auditAnnotation: (key, value) => ctx.auditAnnotation(key, value),
      dryRun: dryRun.length > 0,
      fieldManager: '',
      fieldValidation: 'Ignore',
      force: false,
    },
    options: { ...given, ...deleteOptionsType } as unknown as KubeObject,
  };
}

function optionsFromQuery(query: URLSearchParams): Record<string, Json> {
  const options: Record<string, Json> = {};
  const policy = query.get('propagationPolicy');
  const grace = query.get('gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  if (policy !== null) options.propagationPolicy = policy;
  if (grace !== null && grace !== '') {
    if (!/^-?[0-9]+$/.test(grace)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
    options.gracePeriodSeconds = Number(grace);
  }
  if (orphan !== null && orphan !== '') options.orphanDependents = isTrue(orphan);
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun');
  return options;
}
