import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { mergeMaps, readValues } from '../../render/chart/load-chart.ts';
import type { GoMap } from '../../render/go/go-value.ts';
import { defaultCapabilities, parseKubeVersion } from '../../render/helm/capabilities.ts';
import { checkReleaseName } from '../../render/helm/release-name.ts';
import { prepareChart, printRendered, renderPrepared, type RenderOptions } from '../../render/helm/render-chart.ts';
import { setValues } from '../../render/helm/set-values.ts';
import { showOnly } from '../../render/helm/show-only.ts';
import { errorText } from '../../util/error-text.ts';
import { addLocateOptions, locateChart, type LocateOptions } from '../charts/locate-chart.ts';
import { EndWith, exitCodes } from '../exit-codes.ts';
import { collectList } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

interface TemplateOptions extends LocateOptions {
  readonly namespace: string;
  readonly values: readonly string[];
  readonly set: readonly string[];
  readonly setString: readonly string[];
  readonly setFile: readonly string[];
  readonly apiVersions: readonly string[];
  readonly kubeVersion?: string;
  readonly includeCrds?: boolean;
  readonly isUpgrade?: boolean;
  readonly hooks: boolean;
  readonly skipTests?: boolean;
  readonly showOnly: readonly string[];
}

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

export function defineTemplate(command: Command, terminal: Terminal): void {
  command
    .argument('<release>', 'name of the release, or the chart when it is alone')
    .argument('[chart]', 'folder or archive of the chart, its address, or its name in the repository')
    .option('-n, --namespace <name>', 'namespace of the release', terminal.env['HELM_NAMESPACE'] || 'default')
    .option('-f, --values <file>', 'values from a YAML file, - is the standard input; later files win', collectList, [])
    .option('--set <pairs>', 'values such as a.b=1,c={x,y}', collect, [])
    .option('--set-string <pairs>', 'the same, all of them texts', collect, [])
    .option('--set-file <pairs>', 'the same, each text from the file that is named', collect, [])
    .option('-a, --api-versions <list>', 'further API versions that the cluster has', collectList, [])
    .option('--kube-version <version>', 'version of Kubernetes that the cluster has')
    .option('--include-crds', 'print the custom resource definitions of the chart too')
    .option('--is-upgrade', 'render an upgrade, not an installation')
    .option('--no-hooks', 'leave out hooks')
    .option('--skip-tests', 'leave out tests')
    .option('-s, --show-only <template>', 'only what comes from this template', collect, [])
    .addHelpText('after', '\nPrints what "helm template" prints, without Helm and without a cluster.')
    .action((first: string, second: string | undefined, options: TemplateOptions) => template(first, second, options, terminal));
  addLocateOptions(command);
}

async function template(first: string, second: string | undefined, options: TemplateOptions, terminal: Terminal): Promise<void> {
  const [release, path] = second === undefined ? ['release-name', first] : [first, second];
  // Scripts look for Helm's own words, so that errors are told as Helm tells them.
  const refuse = (error: unknown, advice = ''): never => {
    terminal.err(`Error: ${errorText(error)}${advice}\n`);
    throw new EndWith(exitCodes.error);
  };
  try {
    const render = renderOptions(release, options);
    const given = givenValues(options);
    const prepared = prepareChart(await locateChart(path, options, terminal), given, render);
    checkReleaseName(release);
    terminal.out(printChosen(prepared, render, options, refuse));
  } catch (error) {
    if (error instanceof EndWith) throw error;
    refuse(error);
  }
}

function printChosen(
  prepared: ReturnType<typeof prepareChart>,
  render: RenderOptions,
  { includeCrds = false, hooks, skipTests = false, showOnly: shown }: TemplateOptions,
  refuse: (error: unknown, advice: string) => never,
): string {
  let text: string;
  try {
    const rendered = renderPrepared(prepared, render);
    const kept = skipTests ? rendered.hooks.filter(hook => !hook.events.includes('test')) : rendered.hooks;
    text = printRendered({ ...rendered, hooks: kept }, { definitions: includeCrds, hooks });
  } catch (error) {
    return refuse(error, '\n\nUse --debug flag to render out invalid YAML');
  }
  return shown.length === 0 ? text : showOnly(text, shown);
}

function renderOptions(name: string, { namespace, kubeVersion, apiVersions, isUpgrade = false }: TemplateOptions): RenderOptions {
  return {
    release: { name, namespace, isUpgrade },
    capabilities: {
      kubeVersion: kubeVersion === undefined ? defaultCapabilities.kubeVersion : checkedKubeVersion(kubeVersion),
      apiVersions: [...defaultCapabilities.apiVersions, ...apiVersions],
    },
  };
}

function checkedKubeVersion(text: string): string {
  try {
    return parseKubeVersion(text).git;
  } catch (cause) {
    throw new Error(`invalid kube version '${text}'`, { cause });
  }
}

function givenValues({ values: files, set, setString, setFile }: TemplateOptions): GoMap {
  let given: GoMap = new Map();
  for (const file of files) given = mergeMaps(given, readValuesFile(file));
  const add = (option: string, text: string, read?: (text: string) => string): void => {
    try {
      setValues(given, text, read);
    } catch (cause) {
      throw new Error(`failed parsing ${option} data`, { cause });
    }
  };
  for (const text of set) add('--set', text);
  for (const text of setString) add('--set-string', text, value => value);
  for (const text of setFile) add('--set-file', text, readText);
  return given;
}

function readValuesFile(file: string): GoMap {
  const text = readText(file);
  try {
    return readValues(text);
  } catch (cause) {
    throw new Error(`failed to parse ${file}`, { cause });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file.trim() === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`open ${file}: no such file or directory`);
    throw cause;
  }
}
