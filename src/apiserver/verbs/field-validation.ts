import { invalid } from '../../api/field-error.ts';
import { badRequest, invalidObject, type StatusError } from '../../api/status.ts';
import type { WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';

const maxReported = 10_000;
/** How strict reading of YAML begins a list of problems. An error tells it whole; warnings tell its lines. */
export const yamlProblems = 'yaml: unmarshal errors:\n';

function warnAbout(problems: Iterable<string>, request: WriteRequest): void {
  for (const problem of problems) {
    const lines = problem.startsWith(yamlProblems) ? problem.slice(yamlProblems.length).split('\n') : [problem];
    for (const line of lines) request.warn(line.trim());
  }
}

/** Makes warnings or an error of what strict decoding found, as the request asked. */
export function reportProblems(problems: readonly string[], resource: Resource, request: WriteRequest): void {
  if (problems.length === 0 || request.fieldValidation === 'Ignore') return;
  const reported = [...new Set(problems)].slice(0, maxReported);
  if (request.fieldValidation === 'Warn') {
    warnAbout(reported, request);
    return;
  }
  throw badRequest(
    `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: strict decoding error: ${reported.join(', ')}`,
  );
}

/** The same for a patch, whose faults are reported as an invalid field. `printed` is what the API shows of it. */
export function reportPatchProblems(problems: readonly string[], printed: () => string, request: WriteRequest): void {
  if (problems.length === 0 || request.fieldValidation === 'Ignore') return;
  if (request.fieldValidation === 'Warn') {
    warnAbout(new Set(problems), request);
    return;
  }
  throw invalidPatch(printed(), `strict decoding error: ${[...new Set(problems)].join(', ')}`);
}

/** The same for an applied configuration, which is read strictly only once it has been merged. */
export function reportYamlProblems(problems: readonly string[], request: WriteRequest): void {
  const [problem] = problems;
  if (problem === undefined || request.fieldValidation === 'Ignore') return;
  if (request.fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
  for (const line of problem.replace(yamlProblems, '').split('\n')) request.warn(line.trim());
}

export function invalidPatch(printed: string, why: string): StatusError {
  return invalidObject({ group: '', kind: '' }, '', [invalid('patch', printed, why)]);
}
