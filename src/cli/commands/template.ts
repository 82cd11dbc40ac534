import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { mergeMaps, readValues } from '../../render/chart/load-chart.ts';
import type { GoMap } from '../../render/go/go-value.ts';
import { defaultCapabilities, parseKubeVersion } from '../../render/helm/capabilities.ts';
import { checkReleaseName } from '../../render/helm/release-name.ts';
import {
  prepareChart,
  printRendered,
  printUnsorted,
  renderPrepared,
  UnsortedError,
  type RenderedChart,
  type RenderOptions,
} from '../../render/helm/render-chart.ts';
import { renderName } from '../../render/helm/render-name.ts';
import { setJsonValues, setLiteralValue, setValues } from '../../render/helm/set-values.ts';
import { writeRendered } from '../../render/helm/write-rendered.ts';
import { toGoValue } from '../../render/go/to-go-value.ts';
import { parseJson } from '../../util/json.ts';
import { showOnly } from '../../render/helm/show-only.ts';
import { withoutCredentials } from '../../sources/without-credentials.ts';
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
  readonly setJson: readonly string[];
  readonly setLiteral: readonly string[];
  readonly apiVersions: readonly string[];
  readonly kubeVersion?: string;
  readonly includeCrds?: boolean;
  readonly isUpgrade?: boolean;
  readonly hooks: boolean;
  readonly skipTests?: boolean;
  readonly showOnly: readonly string[];
  readonly outputDir?: string;
  readonly releaseName?: boolean;
  readonly debug?: boolean;
  readonly nameTemplate?: string;
  readonly generateName?: boolean;
  readonly dependencyUpdate?: boolean;
  readonly postRenderer?: string;
  readonly skipSchemaValidation?: boolean;
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
    .option('--set-json <pairs>', 'the same, each value JSON, or one JSON object with all of them', collect, [])
    .option('--set-literal <pair>', 'one text, taken as it is written', collect, [])
    .option('-a, --api-versions <list>', 'further API versions that the cluster has', collectList, [])
    .option('--kube-version <version>', 'version of Kubernetes that the cluster has')
    .option('--include-crds', 'print the custom resource definitions of the chart too')
    .option('--is-upgrade', 'render an upgrade, not an installation')
    .option('--no-hooks', 'leave out hooks')
    .option('--skip-tests', 'leave out tests')
    .option('-s, --show-only <template>', 'only what comes from this template', collect, [])
    .option('--output-dir <folder>', 'write the manifests to files in this folder')
    .option('--release-name', 'put them into a folder with the name of the release there')
    .option('--name-template <template>', 'template for the name of the release')
    .option('-g, --generate-name', 'make up the name of the release')
    .option('--skip-schema-validation', 'do not check the values by the schemas of the chart')
    .option('--dependency-update', 'not available: charts are taken as they are')
    .option('--post-renderer <name>', 'not available: no other programs are run')
    .option('--debug', 'print what came out even if it is no YAML')
    .addHelpText('after', '\nPrints what "helm template" prints, without Helm and without a cluster.')
    .action((first: string, second: string | undefined, options: TemplateOptions) => template(first, second, options, terminal));
  addLocateOptions(command);
}

async function template(first: string, second: string | undefined, options: TemplateOptions, terminal: Terminal): Promise<void> {
  // Scripts look for Helm's own words, so that errors are told as Helm tells them.
  const refuse = (error: unknown, advice = ''): never => {
    terminal.err(`Error: ${errorText(error)}${advice}\n`);
    throw new EndWith(exitCodes.error);
  };
  try {
    refuseOptions(options);
    const [release, path] = nameAndChart(first, second, options);
    const render = renderOptions(release, options);
    const given = givenValues(options);
    const prepared = prepareChart(await locateChart(path, options, terminal), given, render);
    checkReleaseName(release);
    printChosen(prepared, render, options, terminal, refuse);
  } catch (error) {
    if (error instanceof EndWith) throw error;
    refuse(error);
  }
}

function refuseOptions({ dependencyUpdate, postRenderer }: TemplateOptions): void {
  if (dependencyUpdate) throw new Error('--dependency-update is not available: run "helm dependency build" before, or use a packed chart');
  if (postRenderer !== undefined) throw new Error('--post-renderer is not available: pass the output through the program instead');
}

function nameAndChart(first: string, second: string | undefined, { generateName, nameTemplate = '' }: TemplateOptions): [string, string] {
  if (second === undefined) return [nameTemplate === '' ? 'release-name' : renderName(nameTemplate), first];
  if (generateName) throw new Error('cannot set --generate-name and also specify a name');
  if (nameTemplate !== '') throw new Error('cannot set --name-template and also specify a name');
  return [first, second];
}

function printChosen(
  prepared: ReturnType<typeof prepareChart>,
  render: RenderOptions,
  { includeCrds = false, hooks, skipTests = false, showOnly: shown, outputDir, releaseName, debug }: TemplateOptions,
  terminal: Terminal,
  refuse: (error: unknown, advice?: string) => never,
): void {
  let rendered: RenderedChart;
  try {
    rendered = renderPrepared(prepared, render);
  } catch (error) {
    if (!debug) return refuse(error, '\n\nUse --debug flag to render out invalid YAML');
    terminal.out(printUnsorted(error instanceof UnsortedError ? error.files : new Map()));
    return refuse(error);
  }
  const kept = skipTests ? rendered.hooks.filter(hook => !hook.events.includes('test')) : rendered.hooks;
  const chosen = { ...rendered, hooks: hooks ? kept : [], definitions: includeCrds ? rendered.definitions : [] };
  if (outputDir !== undefined) {
    for (const file of writeRendered(chosen, outputDir, releaseName ? render.release.name : undefined)) terminal.out(`wrote ${file}\n`);
    terminal.out('\n');
    return;
  }
  const text = printRendered(chosen, { definitions: includeCrds });
  terminal.out(shown.length === 0 ? text : showOnly(text, shown));
}

function renderOptions(name: string, options: TemplateOptions): RenderOptions {
  const { namespace, kubeVersion, apiVersions, isUpgrade = false, skipSchemaValidation = false } = options;
  return {
    skipsSchema: skipSchemaValidation,
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

function givenValues({ values: files, set, setString, setFile, setJson, setLiteral }: TemplateOptions): GoMap {
  let given: GoMap = new Map();
  for (const file of files) given = mergeMaps(given, readValuesFile(file));
  for (const text of setJson) given = withJson(given, text);
  const add = (option: string, text: string, read?: (text: string) => string, put = setValues): void => {
    try {
      put(given, text, read);
    } catch (cause) {
      throw new Error(`failed parsing ${option} data`, { cause });
    }
  };
  for (const text of set) add('--set', text);
  for (const text of setString) add('--set-string', text, value => value);
  for (const text of setFile) add('--set-file', text, readText);
  for (const text of setLiteral) add('--set-literal', text, undefined, setLiteralValue);
  return given;
}

function withJson(given: GoMap, text: string): GoMap {
  const isObject = text.trim().startsWith('{');
  try {
    if (isObject) return mergeMaps(given, toGoValue(parseJson(text)) as GoMap);
    setJsonValues(given, text);
    return given;
  } catch {
    throw new Error(`failed parsing --set-json data${isObject ? ' JSON:' : ''} ${text}`);
  }
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
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(file))
    throw new Error(`values are not fetched from addresses: download ${withoutCredentials(file)} first`);
  try {
    return readFileSync(file.trim() === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`open ${file}: no such file or directory`);
    throw cause;
  }
}
