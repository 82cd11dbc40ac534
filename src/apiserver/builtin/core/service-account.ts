import { at } from '../../../api/field-error.ts';
import type { ServiceAccount } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets';

// A reference to a secret is its name; everything else in it would be ignored and is not kept.
function keepOnlyNames(obj: KubeObject): void {
  const account = obj as unknown as ServiceAccount;
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

const warning = (obj: KubeObject): string[] =>
  mountableSecrets in (obj.metadata.annotations ?? {})
    ? [
        `${at.key('metadata.annotations', mountableSecrets)}: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ]
    : [];

export const serviceAccountKind: BuiltinKind = {
  strategy: {
    returnsDeletedObject: true,
    prepareForCreate: keepOnlyNames,
    prepareForUpdate: keepOnlyNames,
    warningsOnCreate: warning,
    warningsOnUpdate: (obj, old) => (mountableSecrets in (old.metadata.annotations ?? {}) ? [] : warning(obj)),
  },
};
