import type { Fields, NormanType } from '../norman-type.ts';

const described = (id: string, fields: Fields): NormanType => ({
  id,
  plural: `${id}s`,
  fields,
  collectionMethods: [],
  resourceMethods: [],
});
const given = { type: 'string', create: true, nullable: true } as const;
const secret = { type: 'password', create: true, required: true } as const;

/** What actions take and give: known by their schemas only. */
export const actionTypes: readonly NormanType[] = [
  described('generateKubeConfigOutput', { config: { type: 'string' } }),
  described('importClusterYamlInput', { yaml: given, defaultNamespace: given, namespace: given, projectName: given }),
  described('importYamlOutput', { message: { type: 'string' } }),
  described('setPasswordInput', { newPassword: secret }),
  described('changePasswordInput', { currentPassword: secret, newPassword: secret }),
  described('searchPrincipalsInput', { name: { type: 'string', create: true, required: true }, principalType: given }),
];
