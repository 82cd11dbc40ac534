import { jsonEqual } from '../../util/json.ts';
import { Accumulation } from './accumulation.ts';
import type { BuildContext } from './build-context.ts';
import { builtinTransforms } from './builtin-transforms.ts';
import { loadCrdConfig } from './crd-config.ts';
import { generateData, withGlobalOptions } from './generate-data.ts';
import { BoundError, KustomizeError, within } from './kustomize-error.ts';
import { componentKind, parseKustomization, type GeneratorArgs, type Kustomization } from './kustomization.ts';
import type { Loader } from './loader.ts';
import { nodeToJson } from './node-json.ts';
import {
  addTransformation,
  builtinOrigin,
  hasOrigin,
  originAt,
  originOfPlugin,
  printOrigin,
  originAnnotation,
  setOrigin,
  type Origin,
} from './origin.ts';
import { malformed } from './patches.ts';
import { helmRefusal, makeGenerator, makeTransformer } from './plugins.ts';
import { readResources } from './read-resources.ts';
import { ResourceMap } from './resource-map.ts';
import type { Resource } from './resource.ts';
import { loadTransformerConfig, mergeConfigs, type TransformerConfig } from './transformer-config.ts';
import type { Transform } from './transforms.ts';
import { addVariables } from './variables.ts';

const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** A transformer with the name under which it is told of. */
interface Step {
  readonly run: Transform;
  readonly origin?: Origin | undefined;
}

/** One kustomization file and what it leads to. */
export class Target {
  readonly kustomization: Kustomization;
  private readonly context: BuildContext;
  private readonly loader: Loader;
  private readonly fileName: string;
  private buildMetadata: readonly string[];
  /** Where it lies, seen from the one that is built; undefined when nobody wants to know. */
  private origin: Origin | undefined;

  constructor(context: BuildContext, loader: Loader) {
    this.context = context;
    this.loader = loader;
    const found = fileNames.flatMap(name => {
      try {
        return [{ name, text: loader.loadText(name) }];
      } catch (error) {
        if (error instanceof BoundError || !(error instanceof KustomizeError)) throw error;
        return [];
      }
    });
    if (found.length > 1) throw new KustomizeError(`Found multiple kustomization files under: ${loader.root}\n`);
    const file = found[0];
    if (!file) {
      throw new KustomizeError(
        `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${loader.root}'`,
      );
    }
    this.fileName = file.name;
    this.kustomization = parseKustomization(file.text, loader.root);
    this.buildMetadata = this.kustomization.buildMetadata ?? [];
    if (this.buildMetadata.length > 0) this.origin = {};
  }

  /** Tells which schemas it wants to be used. */
  chooseSchema(isFirst: boolean): void {
    const { openapi = {} } = this.kustomization;
    const schema = openapi['path'] === undefined ? undefined : this.loader.loadText(openapi['path']);
    this.context.openApi.choose(openapi, schema, isFirst);
  }

  /** Gathers all it leads to and transforms it. A component works on what is already there. */
  accumulate(into = new Accumulation(this.context)): Accumulation {
    const { resources = [], configurations = [], crds = [], components = [], vars = [] } = this.kustomization;
    within('accumulating resources', () => this.accumulateResources(into, resources));
    into.config = mergeConfigs(into.config, loadTransformerConfig(this.loader, configurations));
    const crdConfig = within(`loading CRDs [${crds.join(' ')}]`, () => loadCrdConfig(this.loader, crds));
    if (crds.length > 0) into.config = mergeConfigs(into.config, crdConfig);
    this.generate(into);
    const whole = within('accumulating components', () => this.accumulateComponents(into, components));
    this.transform(whole);
    this.validate(whole);
    within('merging vars', () => addVariables(whole.resources, whole.variables, vars));
    return whole;
  }

  private accumulateResources(into: Accumulation, names: readonly string[]): void {
    for (const name of names) {
      const fault = this.accumulateFile(into, name);
      if (!fault) continue;
      let loader: Loader;
      try {
        loader = this.loader.open(name);
      } catch (error) {
        if (!(error instanceof KustomizeError) || error instanceof BoundError) throw error;
        if (fault.message.includes('MalformedYAMLError')) throw fault;
        throw new KustomizeError(`accumulation err='${fault.message}': ${error.message}`, { cause: error });
      }
      within(`accumulation err='${fault.message}'`, () => this.accumulateFolder(into, name, loader, false));
    }
  }

  /** Answers why a name is no file of resources. */
  private accumulateFile(into: Accumulation, name: string): KustomizeError | undefined {
    try {
      const resources = within(`accumulating resources from '${name}'`, () => this.readFile(name));
      if (this.origin) for (const resource of resources) resource.annotate(originAnnotation, printOrigin(originAt(this.origin, name)));
      within(`merging resources from '${name}'`, () => into.resources.appendAll(resources));
      return undefined;
    } catch (error) {
      if (!(error instanceof KustomizeError) || error instanceof BoundError) throw error;
      return error;
    }
  }

  private readFile(name: string): Resource[] {
    try {
      return new ResourceMap(this.context, readResources(this.context, this.loader.loadText(name))).list;
    } catch (error) {
      throw malformed(error, name);
    }
  }

  private accumulateComponents(into: Accumulation, names: readonly string[]): Accumulation {
    let whole = into;
    for (const name of names) {
      const loader = quoting('loader.New', () => this.loader.open(name));
      whole = quoting('accumulateDirectory:', () => this.accumulateFolder(whole, name, loader, true));
    }
    return whole;
  }

  private accumulateFolder(into: Accumulation, name: string, loader: Loader, isComponent: boolean): Accumulation {
    const target = within(`couldn't make target for path '${loader.root}'`, () => new Target(this.context, loader));
    target.buildMetadata = this.buildMetadata;
    target.origin = this.origin && originAt(this.origin, name);
    target.chooseSchema(false);
    const { kind } = target.kustomization;
    if (isComponent && kind !== componentKind) {
      throw new KustomizeError(`expected kind 'Component' for path '${loader.root}' but got '${kind}'`);
    }
    if (!isComponent && kind === componentKind) throw new KustomizeError(`expected kind != 'Component' for path '${loader.root}'`);
    const done = within(`recursed accumulation of path '${loader.root}'`, () => target.accumulate(isComponent ? into : undefined));
    if (isComponent) return done;
    within(`recursed merging from path '${loader.root}'`, () => into.take(done));
    return into;
  }

  private generate({ resources }: Accumulation): void {
    const { configMapGenerator = [], secretGenerator = [], generatorOptions, helmCharts = [], generators = [] } = this.kustomization;
    const make = (kind: 'ConfigMap' | 'Secret', args: GeneratorArgs) =>
      generateData(this.context, this.loader, kind, withGlobalOptions(args, generatorOptions));
    const absorb = (resource: Resource, origin: Origin | undefined) => {
      if (origin && !hasOrigin(resource)) setOrigin(resource, origin);
      within('merging from generator', () => resources.absorb(resource));
    };
    if (helmCharts.length > 0) throw new KustomizeError(helmRefusal);
    for (const args of configMapGenerator) absorb(make('ConfigMap', args), this.builtinOrigin('ConfigMapGenerator'));
    for (const args of secretGenerator) absorb(make('Secret', args), this.builtinOrigin('SecretGenerator'));
    const plugins = within('loading generator plugins', () =>
      this.loadPluginConfigs(generators).map(config => ({
        run: makeGenerator(this.context, this.loader, config),
        origin: originOfPlugin(config),
      })),
    );
    for (const { run, origin } of plugins) absorb(run(), origin);
  }

  private builtinOrigin(kind: string): Origin | undefined {
    return this.origin && builtinOrigin(this.origin, this.fileName, kind);
  }

  /** Configurations that are written out, or lie in files and folders. */
  private loadPluginConfigs(entries: readonly string[]): Resource[] {
    const configs = new Accumulation(this.context);
    const names: string[] = [];
    for (const entry of entries) {
      const inline = this.readInline(entry);
      if (!inline) {
        names.push(entry);
        continue;
      }
      if (this.origin) for (const config of inline) setOrigin(config, originAt(this.origin, this.fileName));
      configs.resources.appendAll(inline);
    }
    this.accumulateResources(configs, names);
    return configs.resources.list;
  }

  private readInline(text: string): Resource[] | undefined {
    try {
      return new ResourceMap(this.context, readResources(this.context, text)).list;
    } catch (error) {
      if (error instanceof BoundError || !(error instanceof KustomizeError)) throw error;
      return undefined;
    }
  }

  private transform({ resources, config }: Accumulation): void {
    const steps = [...this.builtinSteps(config), ...this.pluginSteps(this.kustomization.transformers ?? [])];
    for (const { run, origin } of steps) {
      this.context.checkTime();
      run(resources);
      if (origin) for (const resource of resources.list) if (!resource.isEmpty) addTransformation(resource, origin);
      resources.dropEmpty();
    }
  }

  private pluginSteps(entries: readonly string[]): Step[] {
    return this.loadPluginConfigs(entries).map(config => ({
      run: makeTransformer(this.context, this.loader, config),
      origin: originOfPlugin(config),
    }));
  }

  private builtinSteps(config: TransformerConfig): Step[] {
    const { context, loader, kustomization } = this;
    return builtinTransforms({ context, loader, kustomization, config }).map(({ kind, run }) => ({
      run,
      origin: this.builtinOrigin(kind),
    }));
  }

  private validate({ resources }: Accumulation): void {
    for (const { run } of this.pluginSteps(this.kustomization.validators ?? [])) {
      const before = resources.list.map(({ node }) => nodeToJson(node));
      run(resources);
      const isSame = jsonEqual(
        before,
        resources.list.map(({ node }) => nodeToJson(node)),
      );
      if (!isSame) throw new KustomizeError("validator shouldn't modify the resource map");
    }
  }
}

/** Kustomize tells faults of components in quotes. */
function quoting<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof KustomizeError) || error instanceof BoundError) throw error;
    throw new KustomizeError(`${doing} ${JSON.stringify(error.message)}`, { cause: error });
  }
}
