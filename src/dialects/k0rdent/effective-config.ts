import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { defaultProvider } from './kinds/group.ts';
import type { PolicyRef, ServiceSpec } from './kinds/service-spec.ts';

export const syncModes = ['OneTime', 'Continuous', 'ContinuousWithDriftDetection', 'DryRun'] as const;
export type SyncMode = (typeof syncModes)[number];

/** Which objects on a cluster. */
export interface ObjectSelector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly annotationSelector?: string;
}

/** What the built-in provider understands of `provider.config`. */
export interface DeliveryConfig {
  readonly priority: number;
  readonly syncMode: SyncMode;
  readonly stopOnConflict: boolean;
  readonly continueOnError: boolean;
  readonly reloader: boolean;
  /** Undefined: for ever. */
  readonly maxConsecutiveFailures: number | undefined;
  readonly driftIgnore: readonly ObjectSelector[];
  readonly driftExclusions: readonly { readonly paths: readonly string[]; readonly target?: ObjectSelector }[];
  readonly patches: readonly { readonly patch: string; readonly target?: ObjectSelector }[];
  readonly templateResourceRefs: readonly TemplateResourceRef[];
  readonly policyRefs: readonly PolicyRef[];
}

export interface TemplateResourceRef {
  readonly identifier: string;
  readonly resource: { readonly apiVersion?: string; readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly optional?: boolean;
  readonly ignoreStatusChanges?: boolean;
  readonly watchFields?: readonly string[];
}

/** `provider.config` is wrong: a person must change it. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const defaultPriority = 100;
const maxPriority = 2147483646;

/** The provider of a ServiceSet as it is written there: deprecated fields become its config, but only when neither name nor config is given. */
export function effectiveProvider({ provider, ...deprecated }: ServiceSpec): { name: string; config?: JsonObject } {
  const name = provider?.name === undefined || provider.name === '' ? defaultProvider : provider.name;
  if (provider?.config !== undefined) return withConfig(name, provider.config);
  if (provider?.name !== undefined && provider.name !== '') return { name };
  const config = Object.entries({
    syncMode: deprecated.syncMode,
    templateResourceRefs: deprecated.templateResourceRefs,
    policyRefs: deprecated.policyRefs,
    driftIgnore: deprecated.driftIgnore,
    driftExclusions: deprecated.driftExclusions,
    priority: deprecated.priority,
    stopOnConflict: deprecated.stopOnConflict,
    reloader: deprecated.reload,
    continueOnError: deprecated.continueOnError,
  }).filter(([, value]) => !isEmpty(value));
  return withConfig(name, Object.fromEntries(config) as JsonObject);
}

/** An empty config says nothing, and where there was a full one, server-side apply would make a null of it, which the API refuses. */
const withConfig = (name: string, config: JsonObject) => ({ name, ...(Object.keys(config).length > 0 && { config }) });

/** Whether a set tells what it would do and does nothing. */
export const onlyPlans = ({ config }: { readonly config?: JsonObject }): boolean => config?.['syncMode'] === 'DryRun';

/** Whether what a set delivered stays when the set goes. */
export const leavesAll = ({ config }: { readonly config?: JsonObject }): boolean => config?.['stopMatchingBehavior'] === 'LeavePolicies';

const isEmpty = (value: unknown): boolean => value === undefined || value === false || (Array.isArray(value) && value.length === 0);

/** What a config asks for. Unknown keys are ignored. Throws ConfigError. */
export function readConfig(config: JsonObject | undefined): DeliveryConfig {
  const given = config ?? {};
  const list = <T>(name: string): T[] =>
    (Array.isArray(given[name]) ? (given[name] as unknown[]).filter(one => isJsonObject(one as Json)) : []) as T[];
  return {
    priority: readPriority(given['priority']),
    syncMode: readSyncMode(given['syncMode']),
    stopOnConflict: given['stopOnConflict'] === true,
    continueOnError: given['continueOnError'] === true,
    // The documentation of k0rdent says "reload", its code "reloader".
    reloader: given['reloader'] === true || given['reload'] === true,
    maxConsecutiveFailures: readCount(given['maxConsecutiveFailures']),
    driftIgnore: list('driftIgnore'),
    driftExclusions: list('driftExclusions'),
    patches: list('patches'),
    templateResourceRefs: list('templateResourceRefs'),
    policyRefs: list('policyRefs'),
  };
}

function readPriority(value: Json | undefined): number {
  if (value === undefined || value === null) return defaultPriority;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > maxPriority)
    throw new ConfigError(`priority must be a whole number from 1 to ${maxPriority}, not ${JSON.stringify(value)}`);
  return value;
}

/** Zero is no bound, as an unset one in Go. */
function readCount(value: Json | undefined): number | undefined {
  if (value === undefined || value === null || value === 0) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new ConfigError(`maxConsecutiveFailures must be a whole number above zero, not ${JSON.stringify(value)}`);
}

function readSyncMode(value: Json | undefined): SyncMode {
  if (value === undefined || value === null || value === '') return 'Continuous';
  const mode = syncModes.find(one => one === value);
  if (mode) return mode;
  throw new ConfigError(`syncMode must be one of ${syncModes.join(', ')}, not ${JSON.stringify(value)}`);
}
