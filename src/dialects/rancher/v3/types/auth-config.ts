import { AuthConfig } from '../../kinds/user.ts';
import { kindType } from '../kind-type.ts';
import type { NormanType } from '../norman-type.ts';

const settable = { type: 'string', update: true, nullable: true } as const;

/** `/v3/authconfigs`: the providers that people sign in with. What is secret about them is written and never read. */
export const authConfigType: NormanType = kindType<AuthConfig>({
  id: 'authConfig',
  plural: 'authConfigs',
  kind: AuthConfig,
  isFlat: true,
  typeOf: ({ type }) => type,
  resourceMethods: ['GET', 'PUT'],
  fields: {
    name: { type: 'string', at: 'metadata.name' },
    enabled: { type: 'boolean', update: true, default: false },
    accessMode: { type: 'enum', update: true, options: ['unrestricted', 'restricted', 'required'] },
    allowedPrincipalIds: { type: 'array[string]', update: true, nullable: true },
    issuer: settable,
    clientId: settable,
    clientSecret: { type: 'password' },
    rancherUrl: settable,
    scope: settable,
    groupsClaim: settable,
    nameClaim: settable,
    emailClaim: settable,
    certificate: settable,
  },
});
