import { badRequest, StatusError } from '../../api/status.ts';
import type { WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';

const maxReported = 10_000;

/** Makes warnings or an error of what strict decoding found, as the request asked. */
export function reportProblems(problems: readonly string[], resource: Resource, request: WriteRequest): void {
  if (problems.length === 0 || request.fieldValidation === 'Ignore') return;
  const reported = [...new Set(problems)].slice(0, maxReported);
  if (request.fieldValidation === 'Warn') {
    for (const problem of reported) request.warn(problem);
    return;
  }
  throw badRequest(
    `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${reported.join(', ')}`,
  );
}

/** The same for a patch, whose faults are reported as an invalid field. */
export function reportPatchProblems(problems: readonly string[], resource: Resource, name: string, request: WriteRequest): void {
  if (problems.length === 0 || request.fieldValidation === 'Ignore') return;
  if (request.fieldValidation === 'Warn') {
    for (const problem of new Set(problems)) request.warn(problem);
    return;
  }
  throw invalidPatch(resource, name, `strict decoding error: ${[...new Set(problems)].join(', ')}`);
}

export function invalidPatch(resource: Resource, name: string, why: string): StatusError {
  return new StatusError(422, 'Invalid', ` ${JSON.stringify('')} is invalid: patch: Invalid value: ${why}`.trimStart(), {
    causes: [{ reason: 'FieldValueInvalid', message: `Invalid value: ${why}`, field: 'patch' }],
    ...(name === '' && { kind: resource.kind }),
  });
}
