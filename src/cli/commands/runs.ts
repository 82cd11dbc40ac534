import type { Command } from 'commander';
import { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { deliveryAnnotations, deliveryLabels } from '../../dialects/workflows/names.ts';
import { parseQuery } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { addDeliveryOptions, parsePlan, type DeliveryOptions } from '../workflows/delivery-argument.ts';
import { get, getDefaults } from './get.ts';

interface RunsOptions extends DeliveryOptions {
  readonly output: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly pipelines?: boolean;
  readonly headers: boolean;
  readonly watch?: boolean;
}

/** The API tells creation in whole seconds. */
const byAge = [
  '.metadata.creationTimestamp',
  `.metadata.annotations.${deliveryAnnotations.requestedAt.replaceAll('.', '\\.')}`,
  '.status.startedAt',
  '.metadata.name',
];

export function defineRuns(command: Command, terminal: Terminal): void {
  command
    .usage('[options] [WORKFLOW]')
    .argument('[workflow]', 'only runs of this Workflow')
    .option('-o, --output <format>', 'wide, json, yaml, name, jsonpath=…, custom-columns=…', '')
    .option('-A, --all-namespaces', 'those of all namespaces')
    .option('-l, --selector <query>', 'only runs whose labels match', parseQuery)
    .option('--pipelines', 'runs of pipelines instead of runs of workflows')
    .option('--no-headers', 'leave the headers out')
    .option('-w, --watch', 'go on showing changes');
  addDeliveryOptions(command)
    .addHelpText('after', '\nThe oldest comes first. "drover get approvalrequests" lists what waits for somebody.')
    .action((workflow: string | undefined, options: RunsOptions) => runs(workflow, options, terminal));
}

async function runs(workflow: string | undefined, { pipelines, ...options }: RunsOptions, terminal: Terminal): Promise<void> {
  const kind = pipelines === true ? PipelineRun : WorkflowRun;
  const of = workflow === undefined ? [] : [`${deliveryLabels.workflow}=${parsePlan([workflow]).name}`];
  const selector = [...of, ...(options.selector === undefined ? [] : [options.selector])].join(',');
  const sortBy = options.watch === true ? {} : { sortBy: byAge };
  await get([`${kind.resource}.${kind.group}`], { ...getDefaults, ...options, ...sortBy, ...(selector !== '' && { selector }) }, terminal);
}
