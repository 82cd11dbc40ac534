import { parseQuantity, QuantityError, wholeValue } from '../../../api/quantity.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Setting } from '../kinds/setting.ts';
import { settingVariable } from './setting-names.ts';

/** A setting as it holds. */
export interface EffectiveSetting {
  readonly value: string;
  readonly default: string;
  readonly customized: boolean;
  readonly source: 'env' | 'db' | 'default';
}

/** What Rancher's settings say, from memory. */
export interface Settings {
  /** What holds. Empty for a setting that nobody knows. */
  value(name: string): string;
  /** A whole number that is at least 0; what the default says when somebody chose something else. */
  number(name: string): number;
  /** An amount such as `1Mi`; what the default says when somebody chose something else. */
  bytes(name: string): number;
  effective(name: string): EffectiveSetting;
  readonly names: readonly string[];
  readonly informer: Informer<Setting>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The environment of the hub decides first, then the object, then the default. */
export function settings(informer: Settings['informer'], defaults: Readonly<Record<string, string>>, env: Env = process.env): Settings {
  const effective = (name: string) => effectiveSetting(name, informer.get(name), { defaults, env });
  return {
    value: name => effective(name).value,
    number(name) {
      const { value, default: fallback } = effective(name);
      return parseWhole(value) ?? parseWhole(fallback) ?? 0;
    },
    bytes(name) {
      const { value, default: fallback } = effective(name);
      return parseBytes(value) ?? parseBytes(fallback) ?? 0;
    },
    effective,
    names: Object.keys(defaults),
    informer,
  };
}

interface Sources {
  readonly defaults: Readonly<Record<string, string>>;
  readonly env: Env;
}

export function effectiveSetting(name: string, setting: Setting | undefined, { defaults, env }: Sources): EffectiveSetting {
  const own = name === 'install-uuid' ? (setting?.metadata.uid ?? '') : undefined;
  const fallback = own ?? defaults[name] ?? setting?.default ?? '';
  const fromEnv = Object.hasOwn(defaults, name) ? env[settingVariable(name)] : undefined;
  if (fromEnv) return { value: fromEnv, default: fallback, customized: false, source: 'env' };
  if (setting?.value) return { value: setting.value, default: fallback, customized: true, source: 'db' };
  return { value: fallback, default: fallback, customized: false, source: 'default' };
}

/** Undefined for what is no amount, or none that makes sense. */
export function parseBytes(text: string): number | undefined {
  try {
    const bytes = wholeValue(parseQuantity(text));
    return bytes > 0n && bytes <= mostBytes ? Number(bytes) : undefined;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

const mostBytes = 2n ** 40n;

const parseWhole = (text: string): number | undefined => (/^[0-9]{1,9}$/.test(text) ? Number(text) : undefined);
