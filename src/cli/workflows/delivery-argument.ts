import type { Command } from 'commander';
import type { DeclaredKind } from '../../api/define-kind.ts';
import { ApprovalRequest } from '../../dialects/workflows/kinds/approval-request.ts';
import { Pipeline, PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { Workflow } from '../../dialects/workflows/kinds/workflow.ts';
import type { DryRun } from '../dry-run.ts';
import { usageError } from '../exit-codes.ts';
import { addHubOptions, type HubOptions } from '../hub-client.ts';

export interface DeliveryOptions extends HubOptions {
  readonly namespace?: string;
}

/** Of commands that change something. */
export interface ChangeOptions extends DeliveryOptions {
  readonly dryRun: DryRun;
}

/** Everything of workflows is in a namespace of the hub. */
export function addDeliveryOptions(command: Command): Command {
  return addHubOptions(command.option('-n, --namespace <name>', 'the namespace on the hub (default: that of the context)'));
}

interface DefinedNames {
  readonly singular: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
}

/** How people call a kind. */
export function namesOf(kind: DeclaredKind): string[] {
  const { names } = kind.definition()['spec'] as unknown as { names: DefinedNames };
  const long = [names.singular, names.plural];
  return [...long, ...(names.shortNames ?? []), ...long.map(name => `${name}.${kind.group}`)];
}

const isNamed = (kind: DeclaredKind, type: string): boolean => namesOf(kind).includes(type.toLowerCase());

/** As kubectl names an object. */
export const titleOf = (kind: DeclaredKind, name: string): string => `${kind.kind.toLowerCase()}.${kind.group}/${name}`;

/** What `run/NAME` may be, in the order in which it is looked for. */
export type RunKind = typeof WorkflowRun | typeof PipelineRun;
export const workflowKind = Workflow;
export const pipelineKind = Pipeline;
export const approvalKind = ApprovalRequest;
export const runKinds = [WorkflowRun, PipelineRun] as const;

export interface NamedRun {
  readonly kinds: readonly RunKind[];
  readonly name: string;
}

const anyRun = ['run', 'runs'];

export const isRunType = (type: string): boolean => anyRun.includes(type.toLowerCase()) || runKinds.some(kind => isNamed(kind, type));

/** Which run is meant by `run/NAME`, `wfr/NAME` or `plr NAME`. A name alone is a run too. */
export function parseRun(words: readonly string[]): NamedRun {
  const [first = '', ...others] = words;
  const parts = first.split('/');
  const isTypeAlone = parts.length === 1 && isRunType(first) && others.length > 0;
  const [type = '', name = '', ...more] = isTypeAlone
    ? [first, ...others]
    : parts.length === 1
      ? ['run', first, ...others]
      : [...parts, ...others];
  if (!isRunType(type)) throw usageError(`${JSON.stringify(type)} is no run`, 'write run/NAME');
  if (name === '') throw usageError('which run is meant is not said', 'write run/NAME; "drover runs" lists them');
  if (more.length > 0) throw usageError(`one run at a time: ${JSON.stringify(more[0])} is one word too many`);
  return { kinds: anyRun.includes(type.toLowerCase()) ? runKinds : runKinds.filter(kind => isNamed(kind, type)), name };
}

export interface NamedPlan {
  readonly kind: typeof Workflow | typeof Pipeline;
  readonly name: string;
}

/** What is to be run: `NAME` or `workflow/NAME`, or `pipeline/NAME`. */
export function parsePlan(words: readonly string[]): NamedPlan {
  const [first = '', ...others] = words;
  const slash = first.indexOf('/');
  const isTypeAlone = slash < 0 && others.length > 0 && [Workflow, Pipeline].some(kind => isNamed(kind, first));
  const [type, name = '', ...more] = isTypeAlone
    ? [first, ...others]
    : slash < 0
      ? ['workflow', first, ...others]
      : [first.slice(0, slash), first.slice(slash + 1), ...others];
  const kind = [Workflow, Pipeline].find(one => isNamed(one, type));
  if (!kind) throw usageError(`${JSON.stringify(type)} cannot be run`, 'write workflow/NAME or pipeline/NAME');
  if (name === '') throw usageError('what is to be run is not said', `write ${type}/NAME`);
  if (more.length > 0) throw usageError(`one at a time: ${JSON.stringify(more[0])} is one word too many`);
  return { kind, name };
}

/** A request by its name, or the run that waits for it. */
export function parseApproval(words: readonly string[]): { readonly request: string } | { readonly run: NamedRun } {
  const [first = '', ...others] = words;
  const [type = '', name] = first.split('/');
  if (isRunType(type) && (name !== undefined || others.length > 0)) return { run: parseRun(words) };
  const [request = '', ...more] =
    isNamed(ApprovalRequest, type) && (name !== undefined || others.length > 0)
      ? [...(name === undefined ? [] : [name]), ...others]
      : words;
  if (request === '' || request.includes('/')) throw usageError(`${JSON.stringify(first)} names no request`, 'write its name, or run/NAME');
  if (more.length > 0) throw usageError(`one request at a time: ${JSON.stringify(more[0])} is one word too many`);
  return { request };
}
